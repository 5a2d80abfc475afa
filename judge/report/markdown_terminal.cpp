#include "judge/report/markdown_terminal.hpp"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/report/math_text.hpp"

namespace warpbook::report {
namespace {

constexpr int kIndentStep = 2;
constexpr std::string_view kFolded = "(folded; --answers shows it)";

struct List {
  bool ordered = false;
  unsigned next = 1;
};

/// Collects md4c's events into lines. Text gathers in `flow_` until its block ends and is then wrapped.
class Writer {
 public:
  explicit Writer(const MarkdownOptions& options) : options_(options) {}

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_H: level_ = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level; break;
      case MD_BLOCK_UL:
        end_flow();
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        end_flow();
        lists_.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI: bullet(); break;
      case MD_BLOCK_QUOTE:
        end_flow();
        ++quotes_;
        break;
      case MD_BLOCK_CODE:
        code_.clear();
        in_code_ = true;
        break;
      case MD_BLOCK_TABLE: table_.clear(); break;
      case MD_BLOCK_TR: table_.emplace_back(); break;
      case MD_BLOCK_HR:
        line(std::string(static_cast<std::size_t>(kRuleWidth), '-'));
        blank();
        break;
      default: break;
    }
  }

  void leave(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_H:
        line(options_.style.paint(Ink::kBold, level_ == 1 ? flow_ : std::string(level_ - 1, '#') + " " + flow_));
        flow_.clear();
        blank();
        break;
      case MD_BLOCK_P:
        end_flow();
        blank();
        break;
      case MD_BLOCK_LI: end_flow(); break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        blank();
        break;
      case MD_BLOCK_QUOTE:
        end_flow();
        --quotes_;
        blank();
        break;
      case MD_BLOCK_CODE: end_code(); break;
      case MD_BLOCK_TD:
      case MD_BLOCK_TH:
        if (!table_.empty()) table_.back().push_back(flow_);
        flow_.clear();
        break;
      case MD_BLOCK_TABLE: end_table(); break;
      case MD_BLOCK_HTML: end_html(); break;
      default: break;
    }
  }

  void enter(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_CODE) add("`");
    if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) in_math_ = true;
    if (type == MD_SPAN_IMG) {
      const auto& source = static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
      image_ = std::string(source.text, source.size);
      add(image_.ends_with(".trace") ? "[figure to step through in the workbook's pages: " : "[figure: ");
    }
  }

  void leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_CODE) add("`");
    if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) {
      add(math_text(std::exchange(math_, {})));
      in_math_ = false;
    }
    if (type == MD_SPAN_IMG) add(fmt::format(" - {}]", image_));
  }

  void text(MD_TEXTTYPE type, std::string_view piece) {
    if (in_code_) {
      code_ += piece;
      return;
    }
    if (in_math_) {
      math_ += type == MD_TEXT_SOFTBR ? " " : piece;
      return;
    }
    if (type == MD_TEXT_HTML) {
      html_ += piece;
      return;
    }
    if (type == MD_TEXT_BR) return add("\n");
    if (type == MD_TEXT_SOFTBR) return add(" ");
    if (type == MD_TEXT_ENTITY) return add(entity(piece));
    add(piece);
  }

  std::string take() {
    end_flow();
    end_html();
    while (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return out_.empty() ? out_ : out_ + "\n";
  }

 private:
  static constexpr int kRuleWidth = 40;

  static std::string_view entity(std::string_view name) {
    if (name == "&lt;") return "<";
    if (name == "&gt;") return ">";
    if (name == "&amp;") return "&";
    if (name == "&nbsp;") return " ";
    return name;
  }

  int indent() const { return kIndentStep * static_cast<int>(lists_.size()) + kIndentStep * quotes_; }
  void add(std::string_view piece) {
    if (!hidden_) flow_ += piece;
  }
  void line(const std::string& text) {
    if (!hidden_) out_ += text + "\n";
  }
  void blank() {
    const bool already = out_.size() < 2 || out_.compare(out_.size() - 2, 2, "\n\n") == 0;
    if (!hidden_ && lists_.empty() && !already) out_ += "\n";
  }

  void bullet() {
    if (lists_.empty()) return;
    List& list = lists_.back();
    marker_ = list.ordered ? fmt::format("{}. ", list.next++) : "- ";
  }

  void end_flow() {
    if (flow_.empty()) return;
    std::string text = wrap(flow_, options_.style.width, indent());
    if (!marker_.empty()) {
      const auto at = static_cast<std::size_t>(std::max(0, indent() - kIndentStep));
      text.replace(at, static_cast<std::size_t>(kIndentStep), marker_);
    }
    marker_.clear();
    flow_.clear();
    line(text);
  }

  void end_code() {
    in_code_ = false;
    for (const std::string& l : split_lines(code_)) line("    " + options_.style.paint(Ink::kBlue, l));
    blank();
  }

  void end_table() {
    std::vector<int> widths;
    for (const auto& row : table_)
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths.resize(std::max(widths.size(), i + 1));
        widths[i] = std::max(widths[i], display_width(row[i]));
      }
    for (const auto& row : table_) {
      std::string text = "  ";
      for (std::size_t i = 0; i < row.size(); ++i) text += pad(row[i], widths[i] + kIndentStep);
      text.erase(text.find_last_not_of(' ') + 1);
      line(text);
    }
    table_.clear();
    blank();
  }

  /// <details> hides until </details>; the summary stays. Other tags are dropped.
  void end_html() {
    std::string_view rest = html_;
    while (!rest.empty()) {
      const std::size_t open = rest.find('<');
      if (open == std::string_view::npos) break;
      if (open > 0) add(rest.substr(0, open));
      const std::size_t close = rest.find('>', open);
      if (close == std::string_view::npos) break;
      tag(rest.substr(open + 1, close - open - 1));
      rest.remove_prefix(close + 1);
    }
    html_.clear();
    if (!flow_.empty() && flow_.find_first_not_of(" \n") == std::string::npos) flow_.clear();
  }

  void tag(std::string_view name) {
    if (name.starts_with("/summary")) {
      end_flow();
      if (!options_.unfold) line("  " + options_.style.paint(Ink::kDim, kFolded));
      hidden_ = !options_.unfold;
    }
    if (name.starts_with("/details")) {
      hidden_ = false;
      blank();
    }
  }

  const MarkdownOptions& options_;
  std::string out_, flow_, code_, math_, html_, image_, marker_;
  std::vector<List> lists_;
  std::vector<std::vector<std::string>> table_;
  unsigned level_ = 1;
  int quotes_ = 0;
  bool in_code_ = false, in_math_ = false, hidden_ = false;
};

Writer& writer(void* user) { return *static_cast<Writer*>(user); }

}  // namespace

std::string render_markdown(std::string_view markdown, const MarkdownOptions& options) {
  Writer out(options);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_LATEXMATHSPANS | MD_FLAG_STRIKETHROUGH;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    writer(user).enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
    writer(user).leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    writer(user).enter(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    writer(user).leave(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    writer(user).text(type, {text, size});
    return 0;
  };
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &out);
  return out.take();
}

}  // namespace warpbook::report
