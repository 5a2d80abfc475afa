#include "judge/trace/page.hpp"

#include <fmt/format.h>

#include <sstream>

#include "judge/trace/viewer_files.hpp"

namespace warpbook::trace {

namespace {

const std::string& part(std::string_view name) { return viewer_files().find(name)->second; }

void replace(std::string& text, std::string_view mark, std::string_view with) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), with);
}

/// JSON that can stand inside <script>: no "</script>" and no "<!--" can occur without a '<'.
std::string script_safe(const nlohmann::json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

std::string html_safe(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

/// The viewer's scripts are ES modules, so that the workbook's pages can import them; a page that is one file cannot. So each becomes a
/// function that returns what it exports. They keep to `import { a, b } from "./name.js";` on one line and to `export` in front of const,
/// function and class.
std::string as_function(const std::string& name, const std::string& module) {
  constexpr std::string_view kImport = "import {", kExport = "export ";
  std::string body, exported;
  std::istringstream lines(module);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kImport)) {
      const std::size_t close = line.find('}'), from = line.find("./", close), end = line.find(".js", from);
      line = fmt::format("const {} = {}_module;", line.substr(line.find('{'), close + 1 - line.find('{')),
                         line.substr(from + 2, end - from - 2));
    } else if (line.starts_with(kExport)) {
      line.erase(0, kExport.size());
      std::istringstream words(line);
      std::string kind, declared;
      words >> kind >> declared;
      exported += declared.substr(0, declared.find('(')) + ", ";
    }
    body += line + '\n';
  }
  return fmt::format("const {}_module = (() => {{\n\"use strict\";\n{}return {{ {}}};\n}})();\n", name, body, exported);
}

}  // namespace

std::string viewer_script() {
  std::string all;
  for (const char* name : {"values", "stream", "lines", "memory", "shown", "panels", "viewer"})
    all += as_function(name, part(fmt::format("{}.js", name)));
  return all + "const WarpTrace = viewer_module;\n";
}

std::string viewer_style() { return part("viewer.css"); }

std::string make_page(const nlohmann::json& data) {
  std::string page = part("page.html");
  replace(page, "{{title}}", html_safe(data.value("title", "trace")));
  replace(page, "{{style}}", viewer_style());
  replace(page, "{{script}}", viewer_script());
  replace(page, "{{data}}", script_safe(data));  // last: the data is not searched for marks
  return page;
}

}  // namespace warpbook::trace
