#pragma once
// How good is the naming of mistakes? Files that somebody wrote without knowing how it works, each with the mistake it makes in its
// header (`// mistake-of: no-shift`, or `none` for one that no wrong submission of the lesson has), are judged as a learner's would be.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/grade/diagnose.hpp"

namespace warpbook::grade {

struct DiagnosisTrial {
  std::string file;
  std::string truth;              ///< the wrong submission that makes the same mistake, or "none"
  std::string named;              ///< what was named, or "none"
  std::string problem;            ///< why it could not be tried: it is accepted, it does not compile, its header names nothing
  std::vector<Suspect> suspects;  ///< best first
};

struct DiagnosisFigures {
  int right = 0;   ///< the mistake was named, or rightly nothing
  int wrong = 0;   ///< another one was named
  int silent = 0;  ///< there is one, and nothing was named
  int tried() const { return right + wrong + silent; }
};

/// What is asked of the figures: at least this share right, at most this share wrong.
inline constexpr double kLeastRight = 0.90, kMostWrong = 0.02;

/// Tries one file of `task`.
DiagnosisTrial try_diagnosis(const task::Task& task, const std::filesystem::path& file, const GradeOptions& options);

DiagnosisFigures count(const std::vector<DiagnosisTrial>& trials);

}  // namespace warpbook::grade
