#include "judge/report/math_text.hpp"

#include <array>

namespace warpbook::report {
namespace {

struct Sign {
  std::string_view command, text;
};

constexpr std::array kSigns{
    Sign{"alpha", "α"},     Sign{"beta", "β"},  Sign{"gamma", "γ"},  Sign{"delta", "δ"},   Sign{"varepsilon", "ε"}, Sign{"epsilon", "ε"},
    Sign{"mu", "μ"},        Sign{"sigma", "σ"}, Sign{"theta", "θ"},  Sign{"lambda", "λ"},  Sign{"pi", "π"},         Sign{"Delta", "Δ"},
    Sign{"Sigma", "Σ"},     Sign{"sum", "Σ"},   Sign{"prod", "Π"},   Sign{"infty", "∞"},   Sign{"cdot", "·"},       Sign{"times", "×"},
    Sign{"le", "≤"},        Sign{"leq", "≤"},   Sign{"ge", "≥"},     Sign{"geq", "≥"},     Sign{"ne", "≠"},         Sign{"neq", "≠"},
    Sign{"approx", "≈"},    Sign{"pm", "±"},    Sign{"oplus", "⊕"},  Sign{"odot", "⊙"},    Sign{"to", "→"},         Sign{"rightarrow", "→"},
    Sign{"leftarrow", "←"}, Sign{"in", "∈"},    Sign{"dots", "..."}, Sign{"ldots", "..."}, Sign{"cdots", "..."},    Sign{"lvert", "|"},
    Sign{"rvert", "|"},     Sign{"lceil", "⌈"}, Sign{"rceil", "⌉"},  Sign{"lfloor", "⌊"},  Sign{"rfloor", "⌋"},     Sign{"quad", "  "},
    Sign{"qquad", "    "},  Sign{"big", ""},    Sign{"Big", ""},     Sign{"bigl", ""},     Sign{"bigr", ""},        Sign{"left", ""},
    Sign{"right", ""},      Sign{"max", "max"}, Sign{"min", "min"},  Sign{"log", "log"},   Sign{"exp", "exp"},      Sign{"ln", "ln"},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads the formula from the left; each piece() takes one token or group off `rest_`.
class Reader {
 public:
  explicit Reader(std::string_view latex) : rest_(latex) {}
  std::string all(char until) {
    std::string out;
    while (!rest_.empty() && rest_.front() != until) out += piece();
    if (!rest_.empty()) rest_.remove_prefix(1);
    return out;
  }

 private:
  /// Nesting deeper than any lesson's; a file of a million braces must not exhaust the stack.
  static constexpr int kDeepest = 64;

  std::string group() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (rest_.empty()) return {};
    if (rest_.front() != '{' || depth_ >= kDeepest) return piece();
    rest_.remove_prefix(1);
    ++depth_;
    std::string out = all('}');
    --depth_;
    return out;
  }

  /// In brackets unless it is one factor.
  static std::string factor(const std::string& text) { return text.find_first_of(" +-/") == std::string::npos ? text : "(" + text + ")"; }

  std::string piece() {
    const char c = rest_.front();
    if (c == '\\') return command();
    if (c == '{') return depth_ < kDeepest ? group() : take(1);
    if (c == '^' || c == '_') {
      rest_.remove_prefix(1);
      const std::string text = group();
      const bool plain = text.find_first_of(" +/") == std::string::npos && text.find('-', 1) == std::string::npos;  // a sign is no minus
      return c + (plain ? text : "(" + text + ")");
    }
    return take(1);
  }

  std::string take(std::size_t count) {
    const std::string out(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return out;
  }

  std::string command() {
    rest_.remove_prefix(1);
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    if (length == 0) {
      if (rest_.empty()) return "\\";
      const std::string sign = take(1);
      return sign == "," || sign == ";" || sign == "!" ? std::string(sign == "!" ? "" : " ") : sign;
    }
    const std::string name = take(length);
    if (name == "frac") {
      const std::string above = group();
      return factor(above) + "/" + factor(group());
    }
    if (name == "sqrt") return "√(" + group() + ")";
    if (name == "text" || name == "mathrm" || name == "operatorname") return group();
    for (const Sign& sign : kSigns)
      if (sign.command == name) {
        // TeX drops the space that ends a command's name and sets its own around signs; here the author's is the only one there is.
        if (sign.text.empty() && !rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
        return std::string(sign.text);
      }
    return "\\" + name;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

std::string math_text(std::string_view latex) { return Reader(latex).all('\0'); }

}  // namespace warpbook::report
