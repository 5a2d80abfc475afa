#include "judge/report/markdown_page.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::report;

namespace {

std::string page_of(const std::string& markdown) { return render_page(markdown, {"/figures/"}); }

}  // namespace

TEST_CASE("Markdown becomes elements of a page") {
  CHECK(page_of("# A title\n\nWords, *soft* and **loud**.\n") ==
        "<h1>A title</h1>\n<p>Words, <em>soft</em> and <strong>loud</strong>.</p>\n");
  CHECK(page_of("- one\n- two\n") == "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n");
  CHECK(page_of("3. c\n4. d\n") == "<ol start=\"3\">\n<li>c</li>\n<li>d</li>\n</ol>\n");
  CHECK(page_of("```cuda\na < b && c;\n```\n") == "<pre><code class=\"language-cuda\">a &lt; b &amp;&amp; c;\n</code></pre>\n");
  CHECK(page_of("| a | b |\n|---|--:|\n| c | d |\n") ==
        "<div class=\"table\"><table>\n<thead><tr><th>a</th><th class=\"right\">b</th></tr>\n</thead>\n"
        "<tbody><tr><td>c</td><td class=\"right\">d</td></tr>\n</tbody>\n</table></div>\n");
}

TEST_CASE("formulas stay TeX, and one that stands alone is no part of a paragraph") {
  CHECK(page_of("with $a < b$ in it\n") == "<p>with <span class=\"math\">a &lt; b</span> in it</p>\n");
  CHECK(page_of("$$x^2$$\n") == "<div class=\"math\">x^2</div>\n");
  CHECK(page_of("before\n$$x$$\nbehind\n") == "<p>before\n</p>\n<div class=\"math\">x</div>\n<p>\nbehind</p>\n");
}

TEST_CASE("pictures are taken from beside the text and from nowhere else") {
  CHECK(page_of("![Two & three](figure.svg)\n") == "<p><img src=\"/figures/figure.svg\" alt=\"Two &amp; three\"></p>\n");
  for (const std::string address : {"https://example.org/a.svg", "../../solution.cu", ".hidden", "a/b.svg", "\"onerror=alert(1)"})
    CHECK(page_of("![words](<" + address + ">)\n").find("<img") == std::string::npos);
  CHECK(render_page("![words](figure.svg)\n", {}) == "<p>words</p>\n");
  // A recording is a box that the page steps through.
  CHECK(page_of("![Five & more](figures/walk.trace)\n") ==
        "<div class=\"step-through\" data-recording=\"/figures/walk.trace\"><p>Five &amp; more</p></div>\n");
  CHECK(page_of("Before ![it](figures/walk.trace) behind\n") ==
        "<p>Before </p>\n<div class=\"step-through\" data-recording=\"/figures/walk.trace\"><p>it</p></div>\n<p> behind</p>\n");
  for (const std::string address : {"figures/../solution.trace", "walk.trace", "figures/a/b.trace", "figures/.trace"})
    CHECK(page_of("![words](" + address + ")\n").find("step-through") == std::string::npos);
  CHECK(render_page("![words](figures/walk.trace)\n", {}) == "<p>words</p>\n");
}

TEST_CASE("answers fold, with Markdown in their headings") {
  CHECK(page_of("<details><summary>1. Why `a < b`, and $x$?</summary>\n\nBecause *so*.\n</details>\n") ==
        "<details><summary>1. Why <code>a &lt; b</code>, and <span class=\"math\">x</span>?</summary>\n<p>Because <em>so</em>.</p>\n"
        "</details>\n");
}

TEST_CASE("no other tag of a text reaches the page") {
  for (const std::string text :
       {"<script>alert(1)</script>\n", "a <img src=x onerror=alert(1)> b\n", "<details onclick=x><summary>s</summary>\n\nt\n\n</details>\n",
        "<details ontoggle=\"alert(1)\" open>\n", "<style>*{}</style>\n", "<a href='javascript:alert(1)'>x</a>\n",
        "[x](javascript:alert(1))\n", "[x](data:text/html,<b>)\n", "<javascript:alert(1)>\n", "<svg/onload=alert(1)>\n", "</div></body>\n",
        "`</code><b>`\n", "```\"><b>\nx\n```\n", "$</span><b>$\n", "<summary>alone</summary>\n", "</details>\n"}) {
    const std::string html = page_of(text);
    INFO(text << html);
    for (const std::string part :
         {"<script", "<img", "<details o", "<style", "javascript:a\"", "<b>", "<svg", "</div>", "</body", "<summary", "</details"})
      CHECK(html.find(part) == std::string::npos);
    CHECK(html.find("href=\"javascript") == std::string::npos);
    CHECK(html.find("href=\"data") == std::string::npos);
  }
}

TEST_CASE("what a text opens is closed, and a comment is not shown") {
  CHECK(page_of("<details><summary>open\n\nwords\n") == "<details><summary>open</summary>\n<p>words</p>\n</details>\n");
  CHECK(page_of("words\n\n<!-- of lesson.md e4110a4e4a204933 -->\n") == "<p>words</p>\n");
  CHECK(page_of("[a](https://example.org/?a=1&b=2)\n") ==
        "<p><a href=\"https://example.org/?a=1&amp;b=2\" rel=\"noopener noreferrer\">a</a></p>\n");
}

TEST_CASE("a phrase has no paragraph around it") {
  CHECK(render_phrase("the `max` of $x$") == "the <code>max</code> of <span class=\"math\">x</span>");
  CHECK(render_phrase("1. Why") == "1. Why");
  CHECK(render_phrase("- 4") == "- 4");
  CHECK(render_phrase("one\n\ntwo") == "<p>one</p>\n<p>two</p>");
  CHECK(render_phrase("").empty());
}
