#pragma once
// From source text to something a device can run. The judge's commands never call nvcc themselves.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::toolchain {

/// An installed CUDA toolkit.
struct Toolkit {
  std::filesystem::path nvcc;  ///< .../bin/nvcc
  std::filesystem::path root;  ///< folder above bin
  std::string version;         ///< "13.0.88"
  int major = 0, minor = 0;
};

/// Looks in CUDA_HOME, then PATH, then /usr/local/cuda. The error is two lines: what to install, which variable points at it.
Result<Toolkit> find_toolkit();

enum class Severity { kError, kWarning, kNote };

/// One message of nvcc, cudafe++, ptxas or the host compiler, in the learner's file and line.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;
  int line = 0, column = 0;
  std::string message;
  std::string source_line;
  std::string text() const;  ///< file:line:col: error: message, source line, caret
};

/// What to compile.
struct Source {
  std::string shown_name;  ///< the path the learner knows; messages and line tables carry it
  std::string text;        ///< the whole translation unit as spliced (line N of it is line N of the learner)
  std::string glue;        ///< appended after the text under a #line of its own (host code only)
  /// When not empty: sources with this key differ only inside device blanks, so the host half is shared and not even looked at. It must
  /// name all text outside those blanks (where the lines of host code matter, key.cpp adds them). Empty: the host half is compared.
  std::string host_key;
  std::string prelude;  ///< lines before the text, which move no line number: macros of a trace build
  bool native = false;  ///< also machine code for the GPU of this machine
};

struct Artifact {
  std::filesystem::path library;  ///< shared object to load in the worker
  std::filesystem::path ptx;      ///< the device code that goes with it
  std::string launch = "warpbook_launch";  ///< the function of `library` to call
  std::string hash;               ///< of everything that went in
  std::vector<Diagnostic> warnings;
  bool from_cache = false;
  bool host_from_cache = false;
  double seconds = 0;
};

/// Why there is no artifact: the learner's compile error, or a failure of ours.
struct CompileFailure {
  bool learner = true;  ///< false: the toolchain itself failed (JE)
  std::vector<Diagnostic> diagnostics;
  std::string summary;
};

struct CompileOutcome {
  bool ok = false;
  Artifact artifact;
  CompileFailure failure;
};

struct CompileOptions {
  std::filesystem::path cache;                 ///< folder; created when missing; safe for several processes at once
  std::vector<std::filesystem::path> include;  ///< -I
  double time_limit_seconds = 60;
};

/// The hash of what compile() would make, for a device that runs PTX; empty when something that it depends on cannot be followed.
std::string artifact_hash(const Toolkit& toolkit, const Source& source, const CompileOptions& options);

CompileOutcome compile(const Toolkit& toolkit, const Source& source, const CompileOptions& options);

}  // namespace warpbook::toolchain
