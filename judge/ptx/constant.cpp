#include "judge/ptx/constant.hpp"

#include <bit>
#include <limits>
#include <string_view>

namespace warpbook::ptx {
namespace {

// Text can nest parentheses as deep as it is long; the stack cannot.
constexpr int kDeepest = 200;
constexpr std::uint64_t kWarpSize = 32;
constexpr std::uint64_t kSignOfFloat = 0x8000'0000u, kSignOfDouble = 0x8000'0000'0000'0000u;

struct Operator {
  std::string_view text;
  int precedence;
};

// Longer ones first: `<<` must not be read as `<`.
constexpr Operator kBinary[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
                                {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

Constant integer(std::uint64_t bits, bool is_unsigned = false) { return {Constant::Kind::kInteger, bits, is_unsigned}; }
Constant real(double value) { return {Constant::Kind::kFloat64, std::bit_cast<std::uint64_t>(value), false}; }
Constant truth(bool value) { return integer(value ? 1 : 0); }

double as_double(const Constant& c) {
  switch (c.kind) {
    case Constant::Kind::kFloat64: return std::bit_cast<double>(c.bits);
    case Constant::Kind::kFloat32: return std::bit_cast<float>(static_cast<std::uint32_t>(c.bits));
    case Constant::Kind::kInteger: break;
  }
  return c.is_unsigned ? static_cast<double>(c.bits) : static_cast<double>(c.as_signed());
}

bool is_true(const Constant& c) { return c.kind == Constant::Kind::kInteger ? c.bits != 0 : as_double(c) != 0; }

std::optional<Constant> of_floats(std::string_view op, double a, double b) {
  if (op == "+") return real(a + b);
  if (op == "-") return real(a - b);
  if (op == "*") return real(a * b);
  if (op == "/") return real(a / b);
  if (op == "==") return truth(a == b);
  if (op == "!=") return truth(a != b);
  if (op == "<") return truth(a < b);
  if (op == "<=") return truth(a <= b);
  if (op == ">") return truth(a > b);
  if (op == ">=") return truth(a >= b);
  return std::nullopt;
}

Constant shifted(std::string_view op, const Constant& a, std::uint64_t by) {
  bool negative = !a.is_unsigned && a.as_signed() < 0;
  if (by > 63) return integer(op == ">>" && negative ? ~0ull : 0, a.is_unsigned);
  if (op == "<<") return integer(a.bits << by, a.is_unsigned);
  return integer(a.is_unsigned ? a.bits >> by : static_cast<std::uint64_t>(a.as_signed() >> by), a.is_unsigned);
}

std::optional<Constant> divided(std::string_view op, const Constant& a, const Constant& b, bool is_unsigned) {
  if (b.bits == 0) return std::nullopt;
  if (is_unsigned) return integer(op == "/" ? a.bits / b.bits : a.bits % b.bits, true);
  // INT64_MIN / -1 traps on the host.
  if (b.as_signed() == -1) return integer(op == "/" ? 0 - a.bits : 0);
  return integer(static_cast<std::uint64_t>(op == "/" ? a.as_signed() / b.as_signed() : a.as_signed() % b.as_signed()));
}

std::optional<Constant> of_integers(std::string_view op, const Constant& a, const Constant& b) {
  bool u = a.is_unsigned || b.is_unsigned;
  if (op == "<<" || op == ">>") return shifted(op, a, b.bits);
  if (op == "/" || op == "%") return divided(op, a, b, u);
  if (op == "+") return integer(a.bits + b.bits, u);
  if (op == "-") return integer(a.bits - b.bits, u);
  if (op == "*") return integer(a.bits * b.bits, u);
  if (op == "&") return integer(a.bits & b.bits, u);
  if (op == "|") return integer(a.bits | b.bits, u);
  if (op == "^") return integer(a.bits ^ b.bits, u);
  if (op == "==") return truth(a.bits == b.bits);
  if (op == "!=") return truth(a.bits != b.bits);
  bool less = u ? a.bits < b.bits : a.as_signed() < b.as_signed();
  if (op == "<") return truth(less);
  if (op == ">=") return truth(!less);
  return truth(op == "<=" ? less || a.bits == b.bits : !less && a.bits != b.bits);
}

class ExpressionParser {
 public:
  explicit ExpressionParser(Tokens& tokens) : tokens_(tokens) {}

  std::optional<Constant> conditional() {
    Depth depth(*this);
    if (!depth.allowed()) return std::nullopt;
    auto condition = binary(1);
    if (!condition || !tokens_.accept('?')) return condition;
    auto yes = conditional();
    if (!yes || !tokens_.expect(':', "between the choices of `?`")) return std::nullopt;
    auto no = conditional();
    if (!no) return std::nullopt;
    return is_true(*condition) ? yes : no;
  }

 private:
  // Counts how deep the descent is, and refuses beyond kDeepest.
  struct Depth {
    explicit Depth(ExpressionParser& p) : parser(p) { ++parser.depth_; }
    ~Depth() { --parser.depth_; }
    bool allowed() const { return parser.depth_ <= kDeepest || parser.tokens_.fail("the constant expression is nested too deep"); }
    ExpressionParser& parser;
  };

  const Operator* peek_operator() const {
    const Token& token = tokens_.now();
    if (token.kind != TokenKind::kPunct) return nullptr;
    std::string_view rest = tokens_.text().substr(token.begin, 2);
    for (const Operator& op : kBinary) {
      if (rest.starts_with(op.text)) return &op;
    }
    return nullptr;
  }

  std::optional<Constant> binary(int lowest) {
    Depth depth(*this);
    if (!depth.allowed()) return std::nullopt;
    auto left = unary();
    while (left) {
      const Operator* op = peek_operator();
      if (op == nullptr || op->precedence < lowest) break;
      for (std::size_t i = 0; i < op->text.size(); ++i) tokens_.take();
      auto right = binary(op->precedence + 1);
      if (!right) return std::nullopt;
      left = combined(op->text, *left, *right);
    }
    return left;
  }

  std::optional<Constant> combined(std::string_view op, const Constant& a, const Constant& b) {
    if (op == "||") return truth(is_true(a) || is_true(b));
    if (op == "&&") return truth(is_true(a) && is_true(b));
    bool integers = a.kind == Constant::Kind::kInteger && b.kind == Constant::Kind::kInteger;
    auto result = integers ? of_integers(op, a, b) : of_floats(op, as_double(a), as_double(b));
    if (!result) tokens_.fail(integers ? "a constant is divided by zero" : "this operator takes integers, not floats");
    return result;
  }

  std::optional<Constant> unary() {
    Depth depth(*this);
    if (!depth.allowed()) return std::nullopt;
    if (tokens_.accept('+')) return unary();
    if (tokens_.accept('-')) {
      auto value = unary();
      if (!value) return value;
      if (value->kind == Constant::Kind::kInteger) return integer(0 - value->bits, value->is_unsigned);
      value->bits ^= value->kind == Constant::Kind::kFloat32 ? kSignOfFloat : kSignOfDouble;
      return value;
    }
    if (tokens_.accept('~')) {
      auto value = unary();
      if (value && value->kind != Constant::Kind::kInteger) tokens_.fail("`~` takes an integer, not a float");
      return value ? std::optional(integer(~value->bits, value->is_unsigned)) : value;
    }
    if (tokens_.accept('!')) {
      auto value = unary();
      return value ? std::optional(truth(!is_true(*value))) : value;
    }
    return primary();
  }

  std::optional<Constant> primary() {
    const Token token = tokens_.now();
    switch (token.kind) {
      case TokenKind::kInteger: tokens_.take(); return integer(token.value, token.is_unsigned);
      case TokenKind::kFloat32: tokens_.take(); return Constant{Constant::Kind::kFloat32, token.value, false};
      case TokenKind::kFloat64: tokens_.take(); return Constant{Constant::Kind::kFloat64, token.value, false};
      default: break;
    }
    if (tokens_.accept("WARP_SZ")) return integer(kWarpSize);
    if (tokens_.accept('(')) {
      if (tokens_.now().is(".s64") || tokens_.now().is(".u64")) return cast();
      auto value = conditional();
      if (!value || !tokens_.expect(')', "behind the constant expression")) return std::nullopt;
      return value;
    }
    tokens_.fail("a constant should stand here, not " + tokens_.found());
    return std::nullopt;
  }

  std::optional<Constant> cast() {
    bool is_unsigned = tokens_.take().text == ".u64";
    if (!tokens_.expect(')', "behind the type of the cast")) return std::nullopt;
    auto value = unary();
    if (!value) return value;
    if (value->kind == Constant::Kind::kInteger) return integer(value->bits, is_unsigned);
    double d = as_double(*value);
    // Outside the range of the integer the conversion is undefined on the host: zero, like a NaN.
    bool fits = is_unsigned ? d > -1.0 && d < 18446744073709551616.0 : d >= -9223372036854775808.0 && d < 9223372036854775808.0;
    if (!fits) return integer(0, is_unsigned);
    return integer(is_unsigned ? static_cast<std::uint64_t>(d) : static_cast<std::uint64_t>(static_cast<std::int64_t>(d)), is_unsigned);
  }

  Tokens& tokens_;
  int depth_ = 0;
};

}  // namespace

bool begins_constant(const Tokens& tokens) {
  const Token& token = tokens.now();
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat32:
    case TokenKind::kFloat64: return true;
    case TokenKind::kPunct: return token.is('-') || token.is('+') || token.is('~') || token.is('(') || token.is('!');
    default: return token.is("WARP_SZ");
  }
}

std::optional<Constant> parse_constant(Tokens& tokens) {
  auto value = ExpressionParser(tokens).conditional();
  if (tokens.failed()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> bits_in(const Constant& constant, Type type) {
  int width = bits_of(type);
  bool is_integer = constant.kind == Constant::Kind::kInteger;
  if (type == Type::kPred) return is_true(constant) ? 1 : 0;
  if (type == Type::kF32) {
    if (constant.kind == Constant::Kind::kFloat32) return constant.bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(as_double(constant)));
  }
  if (type == Type::kF64)
    return constant.kind == Constant::Kind::kFloat64 ? constant.bits : std::bit_cast<std::uint64_t>(as_double(constant));
  if (is_integer) return width >= 64 ? constant.bits : constant.bits & ((1ull << width) - 1);
  // A float in a slot of bits or integers: its own bits, when they have that width; `0f` and `0d` say the width, a decimal float is 64.
  if (constant.kind == Constant::Kind::kFloat32 && width == 32) return constant.bits;
  if (width >= 64) return std::bit_cast<std::uint64_t>(as_double(constant));
  if (width == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(as_double(constant)));
  return std::nullopt;
}

}  // namespace warpbook::ptx
