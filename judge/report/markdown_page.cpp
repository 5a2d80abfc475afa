// md4c has an HTML renderer of its own. It either passes raw HTML on as it is or escapes all of it, and puts formulas into elements that
// no browser knows; a page that shows other people's texts needs the choice tag by tag, so the events are written out here.
#include "judge/report/markdown_page.hpp"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "judge/report/html_text.hpp"

namespace warpbook::report {
namespace {

constexpr unsigned kPageFlags = MD_FLAG_TABLES | MD_FLAG_LATEXMATHSPANS | MD_FLAG_STRIKETHROUGH;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\n") == std::string_view::npos; }

/// The text of an attribute (an address, a title, the language of a fence), with entities left as they stand in the source.
std::string text_of(const MD_ATTRIBUTE& attribute) { return std::string(attribute.text, attribute.size); }

bool leads_somewhere_safe(std::string_view address) {
  return address.starts_with("https://") || address.starts_with("http://") || address.starts_with("#");
}

/// A name of a file beside the text, and not a path or an address.
bool is_picture_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '-' || c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

constexpr std::string_view kFigures = "figures/", kRecording = ".trace";

/// "figures/NAME.trace": a figure to step through. Nothing for any other picture.
std::optional<std::string> recording_name(std::string_view source) {
  if (!source.starts_with(kFigures) || !source.ends_with(kRecording)) return std::nullopt;
  source.remove_prefix(kFigures.size());
  return is_picture_name(source) ? std::optional(std::string(source)) : std::nullopt;
}

class PageWriter {
 public:
  explicit PageWriter(const PageOptions& options) : options_(options) {}

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_P: paragraph_ = out_.size(), in_paragraph_ = true; break;
      case MD_BLOCK_H: out_ += fmt::format("<h{}>", static_cast<MD_BLOCK_H_DETAIL*>(detail)->level); break;
      case MD_BLOCK_UL: out_ += "<ul>\n"; break;
      case MD_BLOCK_OL: {
        const unsigned start = static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start;
        out_ += start == 1 ? "<ol>\n" : fmt::format("<ol start=\"{}\">\n", start);
        break;
      }
      case MD_BLOCK_LI: out_ += "<li>"; break;
      case MD_BLOCK_QUOTE: out_ += "<blockquote>\n"; break;
      case MD_BLOCK_CODE: {
        const std::string language = html_escaped(text_of(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang));
        out_ += language.empty() ? "<pre><code>" : fmt::format("<pre><code class=\"language-{}\">", language);
        break;
      }
      case MD_BLOCK_TABLE: out_ += "<div class=\"table\"><table>\n"; break;
      case MD_BLOCK_THEAD: out_ += "<thead>"; break;
      case MD_BLOCK_TBODY: out_ += "<tbody>"; break;
      case MD_BLOCK_TR: out_ += "<tr>"; break;
      case MD_BLOCK_TH: out_ += "<th" + aligned(detail) + ">"; break;
      case MD_BLOCK_TD: out_ += "<td" + aligned(detail) + ">"; break;
      case MD_BLOCK_HR: out_ += "<hr>\n"; break;
      default: break;
    }
  }

  void leave(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_P: end_paragraph(); break;
      case MD_BLOCK_H: out_ += fmt::format("</h{}>\n", static_cast<MD_BLOCK_H_DETAIL*>(detail)->level); break;
      case MD_BLOCK_UL: out_ += "</ul>\n"; break;
      case MD_BLOCK_OL: out_ += "</ol>\n"; break;
      case MD_BLOCK_LI: out_ += "</li>\n"; break;
      case MD_BLOCK_QUOTE: out_ += "</blockquote>\n"; break;
      case MD_BLOCK_CODE: out_ += "</code></pre>\n"; break;
      case MD_BLOCK_TABLE: out_ += "</table></div>\n"; break;
      case MD_BLOCK_THEAD: out_ += "</thead>\n"; break;
      case MD_BLOCK_TBODY: out_ += "</tbody>\n"; break;
      case MD_BLOCK_TR: out_ += "</tr>\n"; break;
      case MD_BLOCK_TH: out_ += "</th>"; break;
      case MD_BLOCK_TD: out_ += "</td>"; break;
      case MD_BLOCK_HTML: end_raw(); break;
      default: break;
    }
  }

  void enter(MD_SPANTYPE type, void* detail) {
    if (picture_depth_ > 0) {
      picture_depth_ += type == MD_SPAN_IMG ? 1 : 0;
      return;
    }
    switch (type) {
      case MD_SPAN_EM: out_ += "<em>"; break;
      case MD_SPAN_STRONG: out_ += "<strong>"; break;
      case MD_SPAN_DEL: out_ += "<del>"; break;
      case MD_SPAN_CODE: out_ += "<code>"; break;
      case MD_SPAN_A: {
        const std::string address = text_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
        links_.push_back(leads_somewhere_safe(address));
        if (links_.back()) out_ += fmt::format("<a href=\"{}\" rel=\"noopener noreferrer\">", html_escaped(address));
        break;
      }
      case MD_SPAN_IMG:
        picture_ = text_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
        words_.clear();
        picture_depth_ = 1;
        break;
      case MD_SPAN_LATEXMATH: out_ += "<span class=\"math\">"; break;
      case MD_SPAN_LATEXMATH_DISPLAY:
        // A <div> inside of a <p> would end it; so the paragraph ends before, and another begins behind.
        reopen_ = in_paragraph_;
        if (in_paragraph_) end_paragraph();
        out_ += "<div class=\"math\">";
        break;
      default: break;
    }
  }

  void leave(MD_SPANTYPE type) {
    if (picture_depth_ > 0) {
      if (type == MD_SPAN_IMG && --picture_depth_ == 0) add_picture();
      return;
    }
    switch (type) {
      case MD_SPAN_EM: out_ += "</em>"; break;
      case MD_SPAN_STRONG: out_ += "</strong>"; break;
      case MD_SPAN_DEL: out_ += "</del>"; break;
      case MD_SPAN_CODE: out_ += "</code>"; break;
      case MD_SPAN_A:
        if (links_.back()) out_ += "</a>";
        links_.pop_back();
        break;
      case MD_SPAN_LATEXMATH: out_ += "</span>"; break;
      case MD_SPAN_LATEXMATH_DISPLAY:
        out_ += "</div>\n";
        in_paragraph_ = reopen_;
        paragraph_ = out_.size();
        break;
      default: break;
    }
  }

  void text(MD_TEXTTYPE type, std::string_view piece) {
    if (type == MD_TEXT_HTML) {
      raw_ += piece;
      if (in_paragraph_) end_raw();  // a tag inside of a line comes whole
      return;
    }
    std::string& to = picture_depth_ > 0 ? words_ : out_;
    if (type == MD_TEXT_BR) {
      to += picture_depth_ > 0 ? " " : "<br>\n";
    } else if (type == MD_TEXT_SOFTBR) {
      to += "\n";
    } else if (type == MD_TEXT_NULLCHAR) {
      to += "\xEF\xBF\xBD";
    } else if (type == MD_TEXT_ENTITY) {
      to += piece;  // md4c has made sure that it is one
    } else {
      to += html_escaped(piece);
    }
  }

  std::string take() {
    end_raw();
    for (; folds_ > 0; --folds_) out_ += "</details>\n";
    return std::move(out_);
  }

 private:
  static std::string aligned(void* detail) {
    switch (static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align) {
      case MD_ALIGN_RIGHT: return " class=\"right\"";
      case MD_ALIGN_CENTER: return " class=\"centre\"";
      default: return "";
    }
  }

  void end_paragraph() {
    in_paragraph_ = false;
    const std::string content = out_.substr(paragraph_);
    out_.resize(paragraph_);
    if (!is_blank(content)) out_ += fmt::format("<p>{}</p>\n", content);
  }

  /// A figure to step through is a box of its own, which the page makes a button of: so the paragraph ends before it.
  void add_recording(const std::string& name) {
    const bool reopen = in_paragraph_;
    if (reopen) end_paragraph();
    out_ += fmt::format("<div class=\"step-through\" data-recording=\"{}{}\"><p>{}</p></div>\n", html_escaped(options_.pictures),
                        html_escaped(name), words_);
    in_paragraph_ = reopen;
    paragraph_ = out_.size();
  }

  void add_picture() {
    if (const auto name = recording_name(picture_); name && !options_.pictures.empty()) return add_recording(*name);
    if (options_.pictures.empty() || !is_picture_name(picture_)) {
      out_ += words_;
      return;
    }
    out_ += fmt::format("<img src=\"{}{}\" alt=\"{}\">", html_escaped(options_.pictures), html_escaped(picture_), words_);
  }

  /// Takes over the few tags that texts may use, where they make a block. What stands between them is escaped, and in a summary it is
  /// Markdown to whoever reads it.
  void end_raw() {
    const std::string raw = std::exchange(raw_, {});
    std::string_view rest = raw;
    while (!rest.empty()) {
      const std::size_t open = rest.find('<');
      if (!is_blank(rest.substr(0, open))) out_ += html_escaped(rest.substr(0, open));
      if (open == std::string_view::npos) return;
      rest.remove_prefix(open);
      if (rest.starts_with("<!--")) {
        const std::size_t end = rest.find("-->");
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 3);
      } else if (const std::size_t taken = in_paragraph_ ? 0 : take_tag(rest); taken > 0) {
        rest.remove_prefix(taken);
      } else {
        out_ += "&lt;";
        rest.remove_prefix(1);
      }
    }
  }

  /// How much of `rest` was a tag that is taken over; a summary is taken with its words. Each element is closed where it was opened,
  /// whatever the text does: a page around it must not fall apart.
  std::size_t take_tag(std::string_view rest) {
    constexpr std::string_view kSummary = "<summary>", kSummaryEnd = "</summary>", kFoldEnd = "</details>";
    for (const std::string_view fold : {"<details>", "<details open>"}) {
      if (!rest.starts_with(fold)) continue;
      ++folds_;
      out_ += fold;
      return fold.size();
    }
    if (folds_ > 0 && rest.starts_with(kSummary)) {
      const std::size_t end = std::min(rest.find(kSummaryEnd), rest.size());
      std::string_view words = rest.substr(kSummary.size(), end - kSummary.size());
      while (!words.empty() && words.back() == '\n') words.remove_suffix(1);
      out_ += fmt::format("<summary>{}</summary>\n", render_phrase(words));
      return std::min(end + kSummaryEnd.size(), rest.size());
    }
    if (folds_ > 0 && rest.starts_with(kFoldEnd)) {
      --folds_;
      out_ += "</details>\n";
      return kFoldEnd.size();
    }
    return 0;
  }

  const PageOptions& options_;
  std::string out_, raw_, picture_, words_;
  std::vector<bool> links_;
  std::size_t paragraph_ = 0;  ///< where the open paragraph begins in out_
  int folds_ = 0, picture_depth_ = 0;
  bool in_paragraph_ = false, reopen_ = false;
};

/// "1. Why" and "- 4" begin lists where blocks are read; in a phrase they are words.
std::string without_block(std::string_view phrase) {
  std::string out(phrase);
  const std::size_t digits = std::min(out.find_first_not_of("0123456789"), out.size());
  const char next = digits < out.size() ? out[digits] : ' ';
  if (digits > 0 && (next == '.' || next == ')')) out.insert(digits, "\\");
  if (digits == 0 && (next == '-' || next == '+' || next == '#' || next == '>')) out.insert(0, "\\");
  return out;
}

PageWriter& page_writer(void* user) { return *static_cast<PageWriter*>(user); }

}  // namespace

std::string render_page(std::string_view markdown, const PageOptions& options) {
  PageWriter out(options);
  MD_PARSER parser{};
  parser.flags = kPageFlags;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    page_writer(user).enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    page_writer(user).leave(type, detail);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    page_writer(user).enter(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    page_writer(user).leave(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    page_writer(user).text(type, {text, size});
    return 0;
  };
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &out);
  return out.take();
}

std::string render_phrase(std::string_view markdown) {
  std::string html = render_page(without_block(markdown), {});
  while (!html.empty() && html.back() == '\n') html.pop_back();
  constexpr std::string_view kOpen = "<p>", kClose = "</p>";
  const bool one = html.starts_with(kOpen) && html.ends_with(kClose) && html.find(kOpen, kOpen.size()) == std::string::npos;
  return one ? html.substr(kOpen.size(), html.size() - kOpen.size() - kClose.size()) : html;
}

}  // namespace warpbook::report
