#include "judge/commands/exec_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/device/fault_json.hpp"
#include "judge/device/fault_text.hpp"
#include "judge/device/own_frame.hpp"
#include "judge/device/sanitizer_category.hpp"
#include "judge/report/terminal.hpp"
#include "judge/vgpu/demangle.hpp"

namespace warpbook::commands {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using report::Ink;

constexpr std::size_t kShownLeaks = 5;
constexpr int kNameColumns = 32;

/// The path as a person would write it: the name given on the command line, or one relative to the current folder.
std::string shown_path(const std::string& path, const std::string& source) {
  std::error_code ignored;
  if (!source.empty() && fs::equivalent(path, source, ignored)) return source;
  const fs::path relative = fs::path(path).lexically_relative(fs::current_path(ignored));
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

void show_paths(std::vector<device::Frame>& frames, const std::string& source) {
  for (device::Frame& frame : frames)
    if (!frame.file.empty()) frame.file = shown_path(frame.file, source);
}

std::string source_line(const std::string& file, int line) {
  const Result<std::string> text = read_file(file);
  if (!text || line < 1) return {};
  const std::vector<std::string> lines = split_lines(*text);
  return static_cast<std::size_t>(line) <= lines.size() ? lines[static_cast<std::size_t>(line) - 1] : std::string();
}

std::string number(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string plural(std::size_t count, std::string_view what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

/// Where `what` stands outside of all brackets, from the end on; npos: nowhere.
std::size_t last_outside(std::string_view text, std::string_view what) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == '>' || text[at] == ')') ++depth;
    if (depth == 0 && text.substr(at, what.size()) == what) return at;
    if (text[at] == '<' || text[at] == '(') --depth;
    if (depth == 0 && text.substr(at, what.size()) == what) return at;
  }
  return std::string_view::npos;
}

/// The kernel's own name where all of it is too long: kernels of libraries begin with half a line of namespaces, the same for all.
std::string own_name(std::string name, std::size_t columns) {
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.erase(0, kVoid.size());
  if (name.size() <= columns) return name;
  std::string_view own = name;
  own = own.substr(0, last_outside(own, "("));
  if (own.ends_with('>')) own = own.substr(0, last_outside(own, "<"));
  const std::size_t spaces = last_outside(own, "::");
  if (spaces != std::string_view::npos) own = own.substr(spaces + 2);
  return own.empty() ? name : std::string(own) + std::string(name, own.data() + own.size() - name.data());
}

std::string cut(std::string text, std::size_t columns) {
  if (text.size() > columns) text = fmt::format("{}..", text.substr(0, columns - 2));
  return text;
}

}  // namespace

std::string ExecReport::take(const std::string& line) {
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object() || message.empty()) return {};
  const std::string& what = message.items().begin().key();
  const json& body = message.items().begin().value();
  if (what == "end" && body.is_string()) end_ = body;
  if (what == "refused") refused_.push_back(body);
  if (what == "leak") leaks_.push_back(body);
  if (what == "kernel") {
    json row = body;
    row["mangled"] = body.value("name", "");
    row["name"] = vgpu::demangle(body.value("name", ""));
    kernels_.push_back(std::move(row));
  }
  if (what != "finding") return {};
  device::Fault fault = device::fault_from_json(body);
  show_paths(fault.frames, source_);
  for (device::Waiter& waiter : fault.waiters) show_paths(waiter.frames, source_);
  for (device::Related& related : fault.related) show_paths(related.frames, source_);
  findings_.push_back(device::fault_to_json(fault));
  return finding(fault);
}

std::string ExecReport::finding(const device::Fault& fault) {
  int& count = fault.severity == device::Severity::kError ? errors_ : fault.severity == device::Severity::kWarning ? warnings_ : infos_;
  ++count;
  // A loop or a grid does the same thing wrong many times; it is told once and counted.
  const device::Frame* place = device::own_frame(fault.frames);
  const std::string where = place == nullptr ? fault.message : fmt::format("{}:{}", place->file, place->line);
  const std::string_view weight = fault.severity == device::Severity::kWarning ? " (warning)"
                                  : fault.severity == device::Severity::kInfo  ? " (information)"
                                                                               : "";
  if (++times_[fmt::format("{}{} {} {}", device::name_of(fault.kind), weight, fault.instruction, where)] > 1) return {};
  // Of a call of the runtime, made by the host: there is no kernel and no thread.
  const bool of_host = fault.kind == device::FaultKind::kInvalidCall && fault.instruction.empty();
  without_lines_ = without_lines_ || (place == nullptr && !of_host && !fault.instruction.empty());
  report::TerminalOptions options;
  options.style = style_;
  options.source = source_line;
  std::string out = style_.paint(fault.severity == device::Severity::kError ? Ink::kRed : Ink::kYellow, device::name_of(fault.kind)) + "\n";
  if (of_host) out += fmt::format("  error: {}{}{}\n", fault.kernel, fault.kernel == "host code" ? " " : ": ", fault.message);
  else out += report::render_fault(fault, source_, options, 2);
  const device::SanitizerCategory category = device::sanitizer_category(fault);
  if (!category.tool.empty() && !of_host)
    out += style_.paint(Ink::kDim, fmt::format("  compute-sanitizer --tool {}: {}", category.tool, category.text)) + "\n";
  return out;
}

std::string ExecReport::leaks() const {
  std::uint64_t bytes = 0;
  std::string list;
  for (std::size_t i = 0; i < leaks_.size(); ++i) {
    const std::uint64_t size = leaks_[i].value("bytes", std::uint64_t{0});
    bytes += size;
    if (i < kShownLeaks)
      list += fmt::format("  {} bytes at {:#x}, from {}\n", number(size), leaks_[i].value("address", std::uint64_t{0}),
                          leaks_[i].value("call", ""));
  }
  if (leaks_.size() > kShownLeaks) list += fmt::format("  and {} more\n", leaks_.size() - kShownLeaks);
  return fmt::format("not freed: {}, {} bytes\n{}", plural(leaks_.size(), "allocation"), number(bytes), list);
}

std::string ExecReport::table() const {
  std::string out = fmt::format("{:{}}{:>9}{:>16}{:>24}{:>24}{:>15}\n", "kernel", kNameColumns, "launches", "thread instr.",
                                "loads: req. sectors", "stores: req. sectors", "shared wavef.");
  for (const json& row : kernels_) {
    const device::Counters c = device::counters_from_json(row.value("counters", json::object()));
    out += fmt::format(
        "{:{}}{:>9}{:>16}{:>12}{:>12}{:>12}{:>12}{:>15}\n", cut(own_name(row.value("name", ""), kNameColumns - 1), kNameColumns - 1),
        kNameColumns, number(row.value("launches", std::uint64_t{0})), number(c.thread_instructions), number(c.global_load_requests),
        number(c.global_load_sectors), number(c.global_store_requests), number(c.global_store_sectors), number(c.shared_wavefronts));
  }
  return out;
}

std::string ExecReport::closing() const {
  std::string out = "\n";
  const Ink ink = errors_ > 0 ? Ink::kRed : warnings_ > 0 ? Ink::kYellow : Ink::kGreen;
  std::string line = findings() == 0 ? "no findings"
                                     : fmt::format("{} ({}, {})", plural(static_cast<std::size_t>(findings()), "finding"),
                                                   plural(static_cast<std::size_t>(errors_), "error"),
                                                   plural(static_cast<std::size_t>(warnings_), "warning"));
  if (infos_ > 0) line += fmt::format(", {} for information", infos_);
  if (!refused_.empty()) line += fmt::format(", {} refused", plural(refused_.size(), "call"));
  out += style_.paint(ink, line) + "\n";
  for (const auto& [what, times] : times_)
    if (times > 1) out += style_.paint(Ink::kDim, fmt::format("  {} times: {}", times, what)) + "\n";
  if (without_lines_)
    out +=
        "the program was built without line information: nvcc -lineinfo (optimised code as it is) or -G (code for a debugger) tells the "
        "lines\n";
  if (!leaks_.empty()) out += leaks();
  if (!kernels_.empty()) out += table();
  if (!complete()) out += "the program ended without a last word: it used no device, or left by _exit or a signal that cannot be handled\n";
  return out;
}

json ExecReport::as_json() const {
  return {{"findings", findings_}, {"refused", refused_}, {"leaks", leaks_}, {"kernels", kernels_}, {"complete", complete()}};
}

}  // namespace warpbook::commands
