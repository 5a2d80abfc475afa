#include "judge/vgpu/print_format.hpp"

#include <bit>
#include <cstdio>

namespace warpbook::vgpu {

namespace {

constexpr std::string_view kFlags = "-+ #0";
constexpr std::string_view kLengths = "hlLqjzt";
constexpr int kInt = 4, kLong = 8;
constexpr int kWidestField = 4096;

/// One conversion, cut from the format: flags, width and precision as text, the rest told apart.
struct Conversion {
  std::string options;
  bool is_long = false;  ///< %ld, %lld, %zu ...: 8 bytes
  int halves = 0;        ///< number of h
  char kind = 0;
};

template <class T>
std::string print_one(const Conversion& conversion, std::string_view length, T value) {
  std::string format = "%";
  format.append(conversion.options).append(length).push_back(conversion.kind);
  const int bytes = std::snprintf(nullptr, 0, format.c_str(), value);
  if (bytes <= 0) return "";
  std::string text(static_cast<std::size_t>(bytes) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

/// A width or precision, `*` taken from the arguments.
void read_number(std::string_view format, std::size_t& at, Conversion& conversion, const NextArgument& next) {
  int number = 0;
  bool given = false;
  if (at < format.size() && format[at] == '*') {
    number = static_cast<int>(next(kInt));
    given = true;
    ++at;
  } else {
    while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
      number = number < kWidestField ? number * 10 + (format[at] - '0') : number;
      given = true;
      ++at;
    }
  }
  if (!given) return;
  if (number < 0) {
    if (!conversion.options.empty() && conversion.options.back() == '.') {
      conversion.options.pop_back();  // a negative precision counts as none
      return;
    }
    conversion.options.push_back('-');
    number = number > -kWidestField ? -number : kWidestField;
  }
  conversion.options += std::to_string(number < kWidestField ? number : kWidestField);
}

Conversion read_conversion(std::string_view format, std::size_t& at, const NextArgument& next) {
  Conversion conversion;
  while (at < format.size() && kFlags.find(format[at]) != std::string_view::npos) conversion.options += format[at++];
  read_number(format, at, conversion, next);
  if (at < format.size() && format[at] == '.') {
    conversion.options += format[at++];
    read_number(format, at, conversion, next);
  }
  while (at < format.size() && kLengths.find(format[at]) != std::string_view::npos) {
    if (format[at] == 'h') ++conversion.halves;
    else conversion.is_long = true;
    ++at;
  }
  if (at < format.size()) conversion.kind = format[at++];
  return conversion;
}

std::string print_integer(const Conversion& conversion, std::uint64_t value, bool is_signed) {
  if (conversion.is_long)
    return is_signed ? print_one(conversion, "ll", static_cast<long long>(value))
                     : print_one(conversion, "ll", static_cast<unsigned long long>(value));
  const std::string_view length = conversion.halves == 0 ? "" : conversion.halves == 1 ? "h" : "hh";
  return is_signed ? print_one(conversion, length, static_cast<int>(value)) : print_one(conversion, length, static_cast<unsigned>(value));
}

}  // namespace

std::string format_print(std::string_view format, const NextArgument& next, const TextAt& text_at) {
  std::string out;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    const std::size_t begin = at++;
    const Conversion conversion = read_conversion(format, at, next);
    switch (conversion.kind) {
      case '%': out += '%'; break;
      case 'd':
      case 'i': out += print_integer(conversion, next(conversion.is_long ? kLong : kInt), true); break;
      case 'u':
      case 'o':
      case 'x':
      case 'X': out += print_integer(conversion, next(conversion.is_long ? kLong : kInt), false); break;
      case 'c': out += print_one(conversion, "", static_cast<int>(next(kInt))); break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': out += print_one(conversion, "", std::bit_cast<double>(next(kLong))); break;
      case 'p': out += print_one(conversion, "", reinterpret_cast<void*>(next(kLong))); break;
      case 's': out += print_one(conversion, "", text_at(next(kLong)).c_str()); break;
      default: out += format.substr(begin, at - begin); break;
    }
  }
  return out;
}

}  // namespace warpbook::vgpu
