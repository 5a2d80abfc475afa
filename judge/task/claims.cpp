#include "judge/task/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "judge/task/number_text.hpp"

namespace warpbook::task {
namespace {

constexpr double kAgreement = 0.01;

/// Units that convert into each other: by how much to multiply to reach the base unit.
struct UnitRule {
  std::string_view unit, base;
  double factor;
};
constexpr std::array<UnitRule, 12> kUnits{{{"b/s", "b/s", 1},
                                           {"kb/s", "b/s", 1e3},
                                           {"mb/s", "b/s", 1e6},
                                           {"gb/s", "b/s", 1e9},
                                           {"tb/s", "b/s", 1e12},
                                           {"s", "s", 1},
                                           {"ms", "s", 1e-3},
                                           {"us", "s", 1e-6},
                                           {"ns", "s", 1e-9},
                                           {"b", "byte", 1},
                                           {"kb", "byte", 1e3},
                                           {"mb", "byte", 1e6}}};

struct BaseValue {
  std::string unit;
  double factor = 1;
};

BaseValue base_of(std::string_view unit) {
  std::string lower(unit);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const UnitRule& rule : kUnits)
    if (rule.unit == lower) return {std::string(rule.base), rule.factor};
  // sector and sectors, pass and passes
  std::string_view singular = lower;
  if (singular.ends_with("sses")) {
    singular.remove_suffix(2);
  } else if (singular.ends_with("s") && !singular.ends_with("ss")) {
    singular.remove_suffix(1);
  }
  return {std::string(singular), 1};
}

/// Half a unit of the last digit written: 0.005 for "1.93".
double half_last_digit(std::string_view digits) {
  const std::size_t exponent_at = digits.find_first_of("eE");
  const std::string_view mantissa = digits.substr(0, exponent_at);
  const std::size_t point = mantissa.find('.');
  const int decimals = point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  const auto exponent = exponent_at == std::string_view::npos ? std::optional<double>(0) : parse_number(digits.substr(exponent_at + 1));
  return 0.5 * std::pow(10.0, exponent.value_or(0) - decimals);
}

bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The claim whose "measured" opens at `at`, if a number and a unit follow its colon.
std::optional<Claim> claim_at(std::string_view answer, std::size_t at, std::size_t word_length) {
  std::string_view rest = answer.substr(at + word_length);
  const auto skip = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(" \t*_`"), rest.size())); };
  skip();
  bool has_colon = false;
  for (const std::string_view colon : {":", "\xEF\xBC\x9A"}) {
    if (has_colon || rest.substr(0, colon.size()) != colon) continue;
    has_colon = true;
    rest.remove_prefix(colon.size());
  }
  if (!has_colon) return std::nullopt;
  skip();
  const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789.eE+-"));
  std::string_view number = digits;
  while (!number.empty() && !std::isdigit(static_cast<unsigned char>(number.back()))) number.remove_suffix(1);
  const auto value = parse_number(number);
  if (!value) return std::nullopt;
  rest.remove_prefix(number.size());
  skip();
  const auto is_unit_byte = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '/' || c == '%'; };
  const std::size_t length = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_unit_byte) - rest.begin());
  if (length == 0) return std::nullopt;
  Claim claim;
  claim.value = *value;
  claim.unit = std::string(rest.substr(0, length));
  claim.text = fmt::format("measured: {} {}", number, claim.unit);
  return claim;
}

void compare(Claim& claim, std::string_view digits, const std::vector<Measurement>& recorded) {
  const BaseValue claimed = base_of(claim.unit);
  std::vector<std::string> same_unit;
  for (const Measurement& record : recorded) {
    const BaseValue base = base_of(record.unit);
    if (base.unit != claimed.unit) continue;
    const double is = claim.value * claimed.factor, was = record.value * base.factor;
    const double slack = std::max(kAgreement * std::fabs(was), half_last_digit(digits) * claimed.factor);
    const std::string shown = fmt::format("{}: {:.6g} {}", record.name, record.value, record.unit);
    if (std::fabs(is - was) <= slack) {
      claim.backed = true;
      claim.evidence = fmt::format("on record: {}", shown);
      return;
    }
    same_unit.push_back(shown);
  }
  constexpr std::size_t kMostShown = 5;
  if (same_unit.size() > kMostShown) same_unit.erase(same_unit.begin(), same_unit.end() - kMostShown);
  claim.evidence = same_unit.empty() ? fmt::format("no run on record measured anything in {}", claim.unit)
                                     : fmt::format("no run on record shows it; recorded in that unit: {}", fmt::join(same_unit, ", "));
}

}  // namespace

std::vector<Claim> find_claims(std::string_view answer, const std::vector<Measurement>& recorded) {
  std::string lower(answer);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<Claim> claims;
  constexpr std::string_view kEnglish = "measured", kChinese = "实测";
  for (std::size_t at = 0; at < lower.size(); ++at) {
    const bool english = lower.compare(at, kEnglish.size(), kEnglish) == 0 && (at == 0 || !continues_word(lower[at - 1]));
    const bool chinese = !english && lower.compare(at, kChinese.size(), kChinese) == 0;
    if (!english && !chinese) continue;
    auto claim = claim_at(answer, at, english ? kEnglish.size() : kChinese.size());
    if (!claim) continue;
    const std::string digits = words_of(claim->text)[1];
    compare(*claim, digits, recorded);
    claims.push_back(std::move(*claim));
  }
  return claims;
}

}  // namespace warpbook::task
