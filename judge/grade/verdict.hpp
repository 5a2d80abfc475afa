#pragma once
// What the judge says, and why. Both are closed lists: reports, headers of wrong submissions and the JSON schema use these names only.
#include <optional>
#include <string_view>

namespace warpbook::grade {

enum class Verdict {
  kAccepted,      ///< AC
  kWrongAnswer,   ///< WA
  kRuntimeError,  ///< RTE
  kTimeLimit,     ///< TLE
  kCompileError,  ///< CE
  kVeto,          ///< VETO
  kJudgeError,    ///< JE: ours, never the learner's fault, never a score
};

enum class Reason {
  kNone,
  // wrong answer
  kValue,
  kNotFinite,
  kUnwritten,
  kInputChanged,
  kOutOfZoneWrite,
  kNoLaunch,
  kHostComputed,
  // run-time error
  kOutOfBounds,
  kMisaligned,
  kUseAfterFree,
  kNullPointer,
  kHostPointer,
  kReadOnly,
  kUninitialised,
  kRace,
  kBarrierDivergence,
  kDeadlock,
  kBadShuffleMask,
  kInvalidLaunch,
  kAssert,
  kTrap,
  kStackOverflow,
  kCudaError,
  kHostCrash,
  kExitedEarly,
  kSwallowedError,
  // time limit
  kInstructionBudget,
  kCpuTime,
  kWallClock,
  // compile error
  kCompilerMessage,
  kBlankEmpty,
  kBlankRefused,
  // veto
  kChangedOutside,
  kUnprovenMeasurement,
  kFatalMisconception,
  // judge error
  kUnsupported,
  kWorkerProtocol,
  kNotRun,
  kInternal,
};

std::string_view code_of(Verdict verdict);      ///< "WA"
std::string_view sentence_of(Verdict verdict);  ///< "wrong answer"
std::string_view code_of(Reason reason);        ///< "not-finite"
std::string_view sentence_of(Reason reason);    ///< a full sentence for people
std::optional<Verdict> find_verdict(std::string_view code);
std::optional<Reason> find_reason(std::string_view code);

}  // namespace warpbook::grade
