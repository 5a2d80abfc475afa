#include "judge/trace/page.hpp"

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
  const std::string json = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
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

}  // namespace

std::string viewer_script() {
  std::string all;
  for (const char* name : {"values.js", "stream.js", "memory.js", "panels.js", "viewer.js"}) all += part(name);
  return all;
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
