#include "judge/grade/verdict.hpp"

#include <array>

namespace warpbook::grade {
namespace {

struct VerdictRow {
  Verdict verdict;
  std::string_view code, sentence;
};

constexpr std::array kVerdicts{
    VerdictRow{Verdict::kAccepted, "AC", "accepted"},
    VerdictRow{Verdict::kWrongAnswer, "WA", "wrong answer"},
    VerdictRow{Verdict::kRuntimeError, "RTE", "run-time error"},
    VerdictRow{Verdict::kTimeLimit, "TLE", "time limit"},
    VerdictRow{Verdict::kCompileError, "CE", "compile error"},
    VerdictRow{Verdict::kVeto, "VETO", "veto"},
    VerdictRow{Verdict::kJudgeError, "JE", "judge error"},
};

struct ReasonRow {
  Reason reason;
  std::string_view code, sentence;
};

constexpr std::array kReasons{
    ReasonRow{Reason::kNone, "none", "every element is within its bound"},
    ReasonRow{Reason::kValue, "value", "a value lies further from the fp64 reference than rounding can explain"},
    ReasonRow{Reason::kNotFinite, "not-finite", "a value is NaN or infinite where the reference is not, or the other way round"},
    ReasonRow{Reason::kUnwritten, "unwritten", "an output element was never written"},
    ReasonRow{Reason::kInputChanged, "input-changed", "the kernel wrote to an input"},
    ReasonRow{Reason::kOutOfZoneWrite, "out-of-zone-write", "memory around a tensor was overwritten"},
    ReasonRow{Reason::kNoLaunch, "no-launch", "no kernel was launched: the values were not computed on the device"},
    ReasonRow{Reason::kHostComputed, "host-computed", "the values came from the host: they were not computed on the device"},
    ReasonRow{Reason::kOutOfBounds, "out-of-bounds", "an access lies outside every allocation"},
    ReasonRow{Reason::kMisaligned, "misaligned", "an address is not a multiple of the access size"},
    ReasonRow{Reason::kUseAfterFree, "use-after-free", "an access hits memory that was freed"},
    ReasonRow{Reason::kNullPointer, "null-pointer", "an access goes through a null pointer"},
    ReasonRow{Reason::kHostPointer, "host-pointer", "a host pointer was used on the device, or a device pointer on the host"},
    ReasonRow{Reason::kReadOnly, "read-only", "the kernel wrote to constant or parameter memory"},
    ReasonRow{Reason::kUninitialised, "uninitialised", "a value that was never written decided something"},
    ReasonRow{Reason::kRace, "race", "two threads access one location and nothing orders them"},
    ReasonRow{Reason::kBarrierDivergence, "barrier-divergence", "only some threads of a warp reach a barrier"},
    ReasonRow{Reason::kDeadlock, "deadlock", "every thread that is left waits for one that will not come"},
    ReasonRow{Reason::kBadShuffleMask, "bad-shuffle-mask",
              "a warp operation names lanes that do not take part, or reads from one that does not"},
    ReasonRow{Reason::kInvalidLaunch, "invalid-launch", "the launch asks for what the device does not allow"},
    ReasonRow{Reason::kAssert, "assert", "a device assertion failed"},
    ReasonRow{Reason::kTrap, "trap", "the kernel stopped itself"},
    ReasonRow{Reason::kStackOverflow, "stack-overflow", "calls nest deeper than the stack of a thread"},
    ReasonRow{Reason::kCudaError, "cuda-error", "the launch function or the device reported a CUDA error"},
    ReasonRow{Reason::kHostCrash, "host-crash", "the host code was ended by a signal"},
    ReasonRow{Reason::kExitedEarly, "exited-early", "the host code left the process before the launch function returned"},
    ReasonRow{Reason::kSwallowedError, "swallowed-error", "a call of the launch function failed, and it did not say so"},
    ReasonRow{Reason::kInstructionBudget, "instruction-budget",
              "the kernel executed more instructions than the task allows: most likely a loop that does not end"},
    ReasonRow{Reason::kCpuTime, "cpu-time", "the host code used more processor time than it may"},
    ReasonRow{Reason::kWallClock, "wall-clock", "the run took longer than it may"},
    ReasonRow{Reason::kCompilerMessage, "compiler-message", "the compiler refuses the file"},
    ReasonRow{Reason::kBlankEmpty, "blank-empty", "a blank is still empty"},
    ReasonRow{Reason::kBlankRefused, "blank-refused", "a blank holds what a blank may not hold"},
    ReasonRow{Reason::kChangedOutside, "changed-outside", "the text outside the blanks was changed"},
    ReasonRow{Reason::kUnprovenMeasurement, "unproven-measurement", "an answer claims a measurement that no recorded run shows"},
    ReasonRow{Reason::kFatalMisconception, "fatal-misconception", "an answer holds a misconception that the task marks as fatal"},
    ReasonRow{Reason::kUnsupported, "unsupported", "the kernel uses an instruction that the virtual GPU does not know yet"},
    ReasonRow{Reason::kWorkerProtocol, "worker-protocol", "the worker did not answer as agreed"},
    ReasonRow{Reason::kNotRun, "not-run", "static review only, not run"},
    ReasonRow{Reason::kInternal, "internal", "the judge itself failed"},
};

}  // namespace

std::string_view code_of(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)].code; }
std::string_view sentence_of(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)].sentence; }
std::string_view code_of(Reason reason) { return kReasons[static_cast<std::size_t>(reason)].code; }
std::string_view sentence_of(Reason reason) { return kReasons[static_cast<std::size_t>(reason)].sentence; }

std::optional<Verdict> find_verdict(std::string_view code) {
  for (const VerdictRow& row : kVerdicts)
    if (row.code == code) return row.verdict;
  return std::nullopt;
}

std::optional<Reason> find_reason(std::string_view code) {
  for (const ReasonRow& row : kReasons)
    if (row.code == code) return row.reason;
  return std::nullopt;
}

}  // namespace warpbook::grade
