#include "judge/report/style.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace warpbook::report {
namespace {

constexpr int kNarrowest = 40, kWidest = 120, kUsual = 100;

const char* code_of(Ink ink) {
  switch (ink) {
    case Ink::kBold: return "1";
    case Ink::kDim: return "2";
    case Ink::kRed: return "31";
    case Ink::kGreen: return "32";
    case Ink::kYellow: return "33";
    case Ink::kBlue: return "34";
    case Ink::kPlain: break;
  }
  return "0";
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

/// Takes one UTF-8 character off the front; a stray byte counts as one character.
std::uint32_t next_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  std::uint32_t c = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length && i < text.size(); ++i) c = (c << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  text.remove_prefix(std::min(length, text.size()));
  return c;
}

int columns_of(std::uint32_t c) {
  if (c >= 0x300 && c <= 0x36F) return 0;
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
                    (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::string Style::paint(Ink ink, std::string_view text) const {
  if (!colour || ink == Ink::kPlain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

Style style_for(int fd) {
  Style style;
  const char* term = std::getenv("TERM");
  style.colour = ::isatty(fd) != 0 && !is_set("NO_COLOR") && !(term != nullptr && std::string_view(term) == "dumb");
  winsize size{};
  style.width = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? std::clamp<int>(size.ws_col, kNarrowest, kWidest) : kUsual;
  return style;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    if (text[0] == '\x1b') {
      const std::size_t end = text.find('m');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      continue;
    }
    width += columns_of(next_character(text));
  }
  return width;
}

std::string pad(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

std::string wrap(std::string_view text, int width, int indent) {
  const std::string lead(static_cast<std::size_t>(indent), ' ');
  std::string out = lead;
  int column = indent;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool line_end = end < text.size() && text[end] == '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!word.empty()) {
      const int size = display_width(word);
      if (!first && column + 1 + size > width) {
        out += "\n" + lead;
        column = indent;
        first = true;
      }
      if (!first) out += ' ', ++column;
      out += word;
      column += size;
      first = false;
    }
    if (line_end) {
      out += "\n" + lead;
      column = indent;
      first = true;
    }
  }
  return out;
}

}  // namespace warpbook::report
