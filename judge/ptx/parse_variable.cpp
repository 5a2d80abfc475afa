// Variables of all state spaces with their initialisers, which may hold addresses of other variables and functions.
#include <fmt/format.h>

#include <algorithm>

#include "judge/ptx/names.hpp"
#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {
namespace {

constexpr std::uint64_t kLargestVariable = 1ull << 48;
constexpr std::uint64_t kLargestInitialised = 1ull << 30;
constexpr std::uint64_t kLargestAlignment = 1u << 20;
constexpr std::uint64_t kAddressBytes = 8;
constexpr int kDeepestInitialiser = 64;

std::uint64_t bytes_of(Type type) { return static_cast<std::uint64_t>(std::max(bits_of(type), 8)) / 8; }

void put_bytes(std::vector<std::uint8_t>& bytes, std::uint64_t at, std::uint64_t value, std::uint64_t count) {
  if (bytes.size() < at + count) bytes.resize(at + count);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, kAddressBytes); ++i)
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace

std::optional<Type> Parser::expect_type(std::string_view where) {
  if (tokens_.now().kind == TokenKind::kDotted) {
    if (auto type = type_of(tokens_.now().text.substr(1))) {
      tokens_.take();
      return type;
    }
    // Opaque types: a handle of eight bytes.
    if (tokens_.accept(".texref") || tokens_.accept(".samplerref") || tokens_.accept(".surfref")) return Type::kU64;
  }
  tokens_.fail(fmt::format("a type should stand {}, not {}", where, tokens_.found()));
  return std::nullopt;
}

bool Parser::attributes(bool& managed) {
  if (!tokens_.expect('(', "behind `.attribute`")) return false;
  int depth = 1;
  while (depth > 0) {
    if (tokens_.at_end()) return tokens_.fail("`.attribute` lacks its `)`");
    managed |= tokens_.now().is(".managed");
    depth += tokens_.now().is('(') ? 1 : tokens_.now().is(')') ? -1 : 0;
    tokens_.take();
  }
  return !tokens_.failed();
}

bool Parser::dimensions(std::uint64_t& count, bool& open) {
  while (tokens_.accept('[')) {
    if (tokens_.accept(']')) {
      open = true;
      continue;
    }
    auto size = parse_constant(tokens_);
    if (!size) return false;
    if (size->kind != Constant::Kind::kInteger || size->bits > kLargestVariable ||
        count * std::max<std::uint64_t>(size->bits, 1) > kLargestVariable) {
      return tokens_.fail("the size of an array should be an integer below 2^48");
    }
    count *= size->bits;
    if (!tokens_.expect(']', "behind the size of the array")) return false;
  }
  return !tokens_.failed();
}

bool Parser::variable_list(Space space, const Linkage& linkage, FunctionState* state) {
  Variable common;
  common.space = space;
  common.external = linkage.external;
  common.visible = linkage.visible;
  std::uint64_t alignment = 0, vector = 1;
  while (true) {
    if (tokens_.accept(".attribute")) {
      if (!attributes(common.managed)) return false;
    } else if (tokens_.accept(".align")) {
      auto value = tokens_.expect_integer("an alignment");
      if (!value) return false;
      if (*value == 0 || (*value & (*value - 1)) != 0 || *value > kLargestAlignment) return tokens_.fail("an alignment is a power of two");
      alignment = *value;
    } else if (tokens_.accept(".v2")) {
      vector = 2;
    } else if (tokens_.accept(".v4")) {
      vector = 4;
    } else if (tokens_.now().kind == TokenKind::kInteger || tokens_.now().is('[')) {
      return tokens_.fail("banks of constant memory are not supported");
    } else {
      break;
    }
  }
  auto type = expect_type("in the declaration of a variable");
  if (!type) return false;
  common.type = *type;
  common.alignment = static_cast<std::uint32_t>(alignment == 0 ? bytes_of(*type) * vector : alignment);
  do {
    auto name = tokens_.expect_name("the name of a variable");
    if (!name) return false;
    Variable variable = common;
    variable.name = *name;
    std::uint64_t count = vector;
    bool open = false;
    if (!dimensions(count, open)) return false;
    if (tokens_.accept('=') && !initialiser(variable)) return false;
    if (open) count = variable.initial.size() / bytes_of(*type);
    variable.bytes = count * bytes_of(*type);
    if (variable.initial.size() > variable.bytes) return tokens_.fail(fmt::format("`{}` has more initial values than elements", *name));
    if (state != nullptr) {
      declare_variable(*state, *name, std::move(variable));
      continue;
    }
    auto [known, fresh] = variable_index_.try_emplace(variable.name, module_.variables.size());
    if (fresh) module_.variables.push_back(std::move(variable));
    else if (module_.variables[known->second].external) module_.variables[known->second] = std::move(variable);
    else if (!variable.external) return tokens_.fail(fmt::format("`{}` is declared twice", *name));
  } while (tokens_.accept(','));
  return tokens_.expect(';', "behind the declaration");
}

bool Parser::initialiser(Variable& variable) {
  std::uint64_t at = 0;
  std::vector<std::uint64_t> covered;  // bytes of each relocation that masks have named so far
  if (!initial_element(variable, at, 0, covered)) return false;
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (covered[i] != kAddressBytes)
      return tokens_.fail(
          fmt::format("only {} of the 8 bytes of the address of `{}` are stored", covered[i], variable.relocations[i].symbol));
  }
  return true;
}

bool Parser::initial_element(Variable& variable, std::uint64_t& at, int depth, std::vector<std::uint64_t>& covered) {
  if (depth > kDeepestInitialiser) return tokens_.fail("the initial values are nested too deep");
  if (tokens_.accept('{')) {
    if (tokens_.accept('}')) return true;
    do {
      if (!initial_element(variable, at, depth + 1, covered)) return false;
    } while (tokens_.accept(','));
    return tokens_.expect('}', "behind the initial values");
  }
  std::uint64_t width = bytes_of(variable.type);
  if (at + width > kLargestInitialised) return tokens_.fail("the initial values are larger than 1 GiB");
  std::uint64_t here = at;
  at += width;
  if (tokens_.now().kind == TokenKind::kName && !tokens_.now().is("WARP_SZ")) return masked_symbol(variable, here, ~0ull, covered);
  auto value = parse_constant(tokens_);
  if (!value) return false;
  if (tokens_.accept('(')) {  // 0xFF00(symbol): one byte of the address
    if (!masked_symbol(variable, here, value->bits, covered)) return false;
    return tokens_.expect(')', "behind the symbol of the mask");
  }
  auto bits = bits_in(*value, variable.type);
  if (!bits) return tokens_.fail(fmt::format("this constant cannot initialise a .{}", name_of(variable.type)));
  put_bytes(variable.initial, here, *bits, width);
  return true;
}

bool Parser::masked_symbol(Variable& variable, std::uint64_t at, std::uint64_t mask, std::vector<std::uint64_t>& covered) {
  Variable::Relocation relocation;
  if (tokens_.accept("generic")) {
    relocation.generic = true;
    if (!tokens_.expect('(', "behind `generic`")) return false;
  }
  auto name = tokens_.expect_name("the name of a variable or function");
  if (!name) return false;
  relocation.symbol = *name;
  auto offset = [&] {
    if (!tokens_.now().is('+') && !tokens_.now().is('-')) return true;
    auto value = parse_constant(tokens_);
    if (value) relocation.offset += value->as_signed();
    return value.has_value();
  };
  if (!offset()) return false;
  if (relocation.generic && (!tokens_.expect(')', "behind the name in `generic(`") || !offset())) return false;

  std::uint64_t width = bytes_of(variable.type), shift = 0;
  if (mask != ~0ull) {
    std::uint64_t low = width >= kAddressBytes ? ~0ull : (1ull << (8 * width)) - 1;
    while (shift < kAddressBytes && mask != low << (8 * shift)) shift += width;
    if (shift >= kAddressBytes) return tokens_.fail("a mask should take one element's bytes of the address, such as 0xFF00");
  } else if (width < kAddressBytes) {
    return tokens_.fail(fmt::format("an address does not fit an element of {} bytes", width));
  }
  put_bytes(variable.initial, at, 0, width);
  if (shift == 0) {
    relocation.at = at;
    variable.relocations.push_back(std::move(relocation));
    covered.push_back(std::min(width, kAddressBytes));
    return true;
  }
  bool continues = !variable.relocations.empty() && variable.relocations.back().at + shift == at && covered.back() == shift &&
                   variable.relocations.back().symbol == relocation.symbol && variable.relocations.back().offset == relocation.offset;
  if (!continues) return tokens_.fail("the bytes of an address should be stored in order, the lowest first");
  covered.back() += width;
  return true;
}

}  // namespace warpbook::ptx
