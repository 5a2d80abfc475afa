#include "judge/tests/ptx/golden/results.hpp"

#include <zstd.h>

#include "judge/base/files.hpp"

namespace warpbook::golden {
namespace {

constexpr int kLevel = 19, kWindowLog = 27;  // many kernels answer the same: a long window finds them

}  // namespace

Result<std::map<std::string, std::string>> read_results_file(const std::string& path) {
  const Result<std::string> packed = read_file(path);
  if (!packed) return packed.error();
  const unsigned long long size = ZSTD_getFrameContentSize(packed->data(), packed->size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return Error{"not a zstd frame", Where{path, 0, 0}};
  std::string text(size, '\0');
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kWindowLog);
  const std::size_t got = ZSTD_decompressDCtx(context, text.data(), text.size(), packed->data(), packed->size());
  ZSTD_freeDCtx(context);
  if (ZSTD_isError(got) != 0) return Error{ZSTD_getErrorName(got), Where{path, 0, 0}};
  std::map<std::string, std::string> results;
  for (const std::string& line : split_lines(text)) {
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos) results[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return results;
}

Status write_results_file(const std::string& path, const std::map<std::string, std::string>& results) {
  std::string text;
  for (const auto& [key, hex] : results) text.append(key).append("\t").append(hex).append("\n");
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, kWindowLog);
  const std::size_t size = ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) return Error{ZSTD_getErrorName(size), Where{path, 0, 0}};
  packed.resize(size);
  return write_file(path, packed);
}

}  // namespace warpbook::golden
