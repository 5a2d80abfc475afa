#include "judge/serve/static_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/serve/guard.hpp"

namespace warpbook::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = 64u << 20;
/// Stands in index.html where the page finds the nonce of its styles.
constexpr std::string_view kNoncePlace = "__CSP_NONCE__";

std::string type_of(const std::string& name) {
  static const std::map<std::string, std::string> kTypes{{".html", "text/html; charset=utf-8"},
                                                         {".js", "text/javascript; charset=utf-8"},
                                                         {".css", "text/css; charset=utf-8"},
                                                         {".svg", "image/svg+xml; charset=utf-8"},
                                                         {".json", "application/json; charset=utf-8"},
                                                         {".woff2", "font/woff2"},
                                                         {".woff", "font/woff"},
                                                         {".ttf", "font/ttf"},
                                                         {".png", "image/png"},
                                                         {".ico", "image/x-icon"},
                                                         {".txt", "text/plain; charset=utf-8"},
                                                         {".webmanifest", "application/manifest+json; charset=utf-8"}};
  const auto found = kTypes.find(fs::path(name).extension().string());
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

/// Parts of letters, digits and . _ - that do not begin with a dot: nothing above the folder, nothing hidden, no device of a file system.
bool is_plain(std::string_view path) {
  bool first = true;
  for (const unsigned char c : path) {
    const bool plain = c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && c != '/' && !(c == '.' && !first)) return false;
    first = c == '/';
  }
  return true;
}

/// Whether the Accept-Encoding header takes this one; "br;q=0" does not.
bool takes(const std::string& header, std::string_view coding) {
  for (std::size_t begin = 0; begin < header.size();) {
    const std::size_t end = std::min(header.find(',', begin), header.size());
    std::string one = header.substr(begin, end - begin);
    one.erase(std::remove(one.begin(), one.end(), ' '), one.end());
    if (one.substr(0, one.find(';')) == coding) {
      const std::size_t weight = one.find(";q=");
      return weight == std::string::npos || one.find_first_of("123456789", weight) != std::string::npos;
    }
    begin = end + 1;
  }
  return false;
}

/// Whether the client has it already: one of If-None-Match is its tag.
bool is_known(const Request& request, const std::string& tag) {
  const std::string& known = request.header("if-none-match");
  return known == "*" || known.find('"' + tag + '"') != std::string::npos;
}

std::string fresh_nonce() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

constexpr std::string_view kUnbuilt = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Warpbook</title>
<h1>The pages are not built yet</h1>
<p>The server runs, and its API answers under <a href="/api/workbook">/api/workbook</a>. The pages are made once, with Node 18 or newer:</p>
<pre>cd judge/web &amp;&amp; npm ci &amp;&amp; npm run build</pre>
<p>Then load this page again.</p>
</html>
)";

}  // namespace

StaticFiles::FilePointer StaticFiles::load(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  if (error || !fs::is_regular_file(path, error)) return nullptr;
  const std::lock_guard lock(mutex_);
  FilePointer& kept = loaded_[path];
  if (kept && kept->written == written) return kept;
  Result<std::string> bytes = read_file(path, kLargestFile);
  if (!bytes) return nullptr;
  File file{written, std::move(*bytes), {}};
  file.tag = content_hash(file.bytes);
  return kept = std::make_shared<const File>(std::move(file));
}

Answer StaticFiles::answer(const Request& request) {
  const std::string name = request.path.substr(1);
  // An address without a file is a page's own, but below these there are no pages.
  const bool no_page = name == "api" || name.starts_with("api/") || name.starts_with("assets/");
  if (name == "index.html" || (!no_page && fs::path(name).extension().empty())) return page(request);
  return file(request, name);
}

Answer StaticFiles::page(const Request& request) {
  // The build may leave a page of its own for what lies below a folder: tasks.html for /tasks/..., with the files that lessons need first.
  const std::string folder = request.path.substr(1, request.path.find('/', 1) - 1);
  FilePointer found = is_plain(folder) && !folder.empty() ? load(folder_ / (folder + ".html")) : nullptr;
  if (!found) found = load(folder_ / "index.html");
  Answer answer;
  answer.type = "text/html; charset=utf-8";
  std::string nonce;
  if (!found) {
    answer.body = kUnbuilt;
  } else if (found->bytes.find(kNoncePlace) == std::string::npos) {
    if (is_known(request, found->tag)) answer.status = 304;
    if (answer.status == 200) answer.body = found->bytes;
    answer.headers.emplace_back("ETag", '"' + found->tag + '"');
  } else {
    nonce = fresh_nonce();
    answer.body = found->bytes;
    for (std::size_t at = 0; (at = answer.body.find(kNoncePlace, at)) != std::string::npos;)
      answer.body.replace(at, kNoncePlace.size(), nonce);
  }
  answer.headers.emplace_back("Cache-Control", "no-cache");
  answer.headers.emplace_back("Content-Security-Policy", page_policy(nonce));
  return answer;
}

Answer StaticFiles::file(const Request& request, const std::string& name) {
  const FilePointer plain = is_plain(name) ? load(folder_ / name) : nullptr;
  if (!plain) return failure(404, "not-found", "there is no such file", request.path);
  Answer answer;
  answer.type = type_of(name);
  const bool for_ever = name.starts_with("assets/");
  answer.headers.emplace_back("Cache-Control", for_ever ? "public, max-age=31536000, immutable" : "no-cache");
  answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  FilePointer sent = plain;
  for (const auto& [coding, ending] : {std::pair{"br", ".br"}, std::pair{"gzip", ".gz"}}) {
    if (!takes(request.header("accept-encoding"), coding)) continue;
    const FilePointer small = load(folder_ / (name + ending));
    // One that is older than what it was made from is not its content.
    if (!small || small->written < plain->written) continue;
    answer.headers.emplace_back("Content-Encoding", coding);
    sent = small;
    break;
  }
  answer.headers.emplace_back("ETag", '"' + sent->tag + '"');
  if (is_known(request, sent->tag)) {
    answer.status = 304;
  } else {
    answer.body = sent->bytes;
  }
  return answer;
}

}  // namespace warpbook::serve
