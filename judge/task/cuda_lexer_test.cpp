#include "judge/task/cuda_lexer.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::task;

namespace {

/// Token texts between bars: "a|+|b".
std::string spelled(std::string_view text) {
  std::string out;
  const Tokens tokens = lex(text);
  for (const Token& token : tokens.list) {
    if (!out.empty()) out += '|';
    out += token.text == "\n" ? "END" : token.text;
  }
  if (tokens.fault) out += "!" + tokens.fault->what;
  return out;
}

}  // namespace

TEST_CASE("words, numbers, strings and punctuation") {
  CHECK(spelled("float v=1e-5f+x[i]->y;") == "float|v|=|1e-5f|+|x|[|i|]|->|y|;");
  CHECK(spelled("1'000'000 0x1p-3 .5 1..2") == "1'000'000|0x1p-3|.5|1..2");
  CHECK(spelled(R"(f("a\"b", 'c', '\'', L"w", u8"x"))") == R"(f|(|"a\"b"|,|'c'|,|'\''|,|L"w"|,|u8"x"|))");
  CHECK(spelled("a>>b") == spelled("a> >b"));
  CHECK(spelled("a+ +b") != spelled("a++b"));
  CHECK(spelled("k<<<g, b>>>(x)") == "k|<<|<|g|,|b|>|>|>|(|x|)");
  CHECK(spelled("中文 $x") == "中文|$x");
}

TEST_CASE("comments are one token without white space") {
  CHECK(spelled("a // b  c\nd") == "a|//bc|d");
  CHECK(spelled("a /* b\n * c */ d") == "a|/*b*c*/|d");
  CHECK(spelled("\"// no\" // yes") == "\"// no\"|//yes");
  CHECK(spelled("a /* b").find("!this comment is not closed") != std::string::npos);
}

TEST_CASE("directives have an opening and an end") {
  CHECK(spelled("#pragma unroll\nx") == "#|pragma|unroll|END|x");
  CHECK(spelled(" /* a */ # /* b */ include <x>\n") == "/*a*/|#|/*b*/|include|<|x|>|END");
  CHECK(lex("a # b").list[1].kind == TokenKind::kPunctuation);
  CHECK(lex("%: define A").list[0].kind == TokenKind::kDirective);
  CHECK(lex("#define A").list.back().kind == TokenKind::kDirectiveEnd);
  CHECK(spelled("#define F(x)\n") != spelled("#define F (x)\n"));
}

TEST_CASE("lines are joined as the compiler joins them") {
  CHECK(spelled("ab\\\ncd") == "abcd");
  CHECK(spelled("// a \\\n b\nc") == "//ab|c");
  CHECK(spelled("// a \\ \t\n b\nc") == "//ab|c");
  CHECK(spelled("#define A \\\n 1\nx") == "#|define|A|1|END|x");
  CHECK(spelled("#\\\ninclude <a>") == "#|include|<|a|>|END");
  const auto tokens = lex("ab\\\ncd e");
  CHECK(tokens.list[0].begin == 0);
  CHECK(tokens.list[0].end == 6);
  CHECK(tokens.list[1].begin == 7);
}

TEST_CASE("raw strings end only at their own end") {
  CHECK(spelled("R\"(a \" // \\\n */ )\" b") == "R\"(a \" // \\\n */ )\"|b");
  CHECK(spelled("u8R\"x( )\" )x\" b") == "u8R\"x( )\" )x\"|b");
  CHECK(spelled("FOOR\"(a)\"") == "FOOR|\"(a)\"");
  CHECK(spelled("R\"(a").find("!this raw string is not closed, expected )\"") != std::string::npos);
  CHECK(spelled("R\"a b(c)a b\"").find("has no valid opening") != std::string::npos);
  CHECK(spelled("R\"12345678901234567(c)12345678901234567\"").find("has no valid opening") != std::string::npos);
}

TEST_CASE("digraphs are what they stand for") {
  CHECK(spelled("a<:0:> <% %>") == "a|[|0|]|{|}");
  CHECK(spelled("f<::std>") == "f|<|::|std|>");
  CHECK(spelled("f<:::x") == "f|[|::|x");
}

TEST_CASE("strings and characters end with their line") {
  CHECK(spelled("\"abc\nd").find("!this string is not closed") != std::string::npos);
  CHECK(spelled("'a\n").find("!this character is not closed") != std::string::npos);
  CHECK(spelled("\"abc\\").find("!this string is not closed") != std::string::npos);
}

TEST_CASE("no text makes the lexer fail, and tokens stay inside it and in order") {
  const std::string alphabet = "a1_ \n\\\"'R()/*#%:<>{}[];.?+-";
  std::uint32_t state = 1;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 1 + round % 40; ++i) {
      state = state * 1664525u + 1013904223u;
      text += alphabet[(state >> 16) % alphabet.size()];
    }
    const Tokens tokens = lex(text);
    std::size_t last = 0;
    for (const Token& token : tokens.list) {
      REQUIRE(token.begin >= last);
      REQUIRE(token.end >= token.begin);
      REQUIRE(token.end <= text.size());
      last = token.end;
    }
    if (tokens.fault) REQUIRE(tokens.fault->offset < text.size());
  }
}
