#pragma once
// What a run of judge may leave behind and must not: processes, temporary folders, half-written files.
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "judge/tests/cli/home.hpp"

namespace warpbook::cli {

/// Processes of this workbook: those whose command line or environment names its folder (the judge's and the tools' environment does,
/// and so does the worker's command line, which its own children keep). Each as "PID command line".
std::vector<std::string> processes_of(const Home& home);

/// The same after they had a moment to end; empty is well.
std::vector<std::string> leftover_processes(const Home& home);

/// Temporary folders of compilations and temporary files beside their targets, anywhere in the workbook.
std::vector<std::string> leftover_files(const Home& home);

/// Looks again and again until `condition` holds; false when it does not within `patience`.
bool wait_for(const std::function<bool()>& condition, std::chrono::milliseconds patience);

}  // namespace warpbook::cli
