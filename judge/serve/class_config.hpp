#pragma once
// The file of a class: `judge serve --class FILE`. It is written by a person, so an unknown name or a wrong type is an error with its
// place, and never passed over: a misspelt limit that silently is no limit would be noticed on the evening before the deadline.
#include <cstdint>
#include <filesystem>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::serve {

struct ClassLimits {
  int runs_waiting_per_learner = 2;
  int runs_per_minute = 6;
  int requests_per_second = 20;
  std::uint64_t source_bytes = 262'144;
};

struct ClassConfig {
  std::string name;
  std::string database;  ///< conninfo or URI of libpq; may hold a password and is never shown
  std::string address = "127.0.0.1";
  int port = 8787;                           ///< 0: any
  std::string origin;                        ///< "https://course.example"; empty: http://ADDRESS:PORT
  std::filesystem::path work;                ///< learners' files: WORK/PERSON/TASK/
  std::filesystem::path seed_file, overlay;  ///< empty: none
  int jobs = 1;
  ClassLimits limits;

  /// Whether what browsers see begins with https.
  bool secure() const { return origin.starts_with("https://"); }
};

/// Reads and checks the file; relative paths become those beside it. Errors carry file, line and column.
Result<ClassConfig> read_class_config(const std::filesystem::path& file);

}  // namespace warpbook::serve
