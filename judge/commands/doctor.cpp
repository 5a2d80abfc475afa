// What this machine can do, and how to add what it lacks. Each finding is one line: what, whether it is there, what to do.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/gpu/driver.hpp"
#include "judge/run/worker.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::commands {
namespace {

struct Finding {
  std::string what;
  bool there = false;
  bool needed = false;  ///< without it nothing can be judged
  std::string detail;   ///< version, or how to add it
};

Finding look_for_toolkit() {
  const auto toolkit = toolchain::find_toolkit();
  if (!toolkit) return {"CUDA toolkit", false, true, toolkit.error().what};
  return {"CUDA toolkit", true, true, fmt::format("nvcc {} at {}", toolkit->version, toolkit->nvcc.string())};
}

Finding look_for_gpu() {
  const auto gpu = gpu::find_gpu();
  if (!gpu) return {"GPU", false, false, "none found; kernels run on the virtual GPU"};
  return {"GPU", true, false, fmt::format("{}, compute capability {}.{}", gpu->name, gpu->major, gpu->minor)};
}

Finding look_for_parts() {
  const auto files = run::find_worker_files();
  if (!files) return {"virtual GPU", false, true, files.error().text()};
  return {"virtual GPU", true, true,
          fmt::format("{} and {}", files->runtime.lexically_normal().string(), files->worker.filename().string())};
}

Finding look_for_work_folder(const Context& context) {
  std::error_code ignored;
  std::filesystem::create_directories(context.work(), ignored);
  const bool writable = ::access(context.work().c_str(), W_OK) == 0;
  const auto space = std::filesystem::space(writable ? context.work() : context.root, ignored);
  const double gib = static_cast<double>(space.available) / (1u << 30);
  if (!writable)
    return {"work folder", false, true,
            fmt::format("{} cannot be written; give yourself the right to, or set WARPBOOK_HOME", context.work().string())};
  return {"work folder", true, true, fmt::format("{}, {:.1f} GiB free", context.work().string(), gib)};
}

}  // namespace

Exit doctor(const Context& context, const Arguments& arguments) {
  if (!arguments.empty()) return usage({"doctor takes no arguments"});
  const Finding findings[] = {
      look_for_toolkit(),
      look_for_gpu(),
      look_for_parts(),
      look_for_work_folder(context),
      {"processor", true, false, fmt::format("{} cores; cases run side by side on them", std::thread::hardware_concurrency())},
      {"sandbox", false, false, "none in this version: run only code that you trust, as you would run any program"},
  };
  bool able = true;
  for (const Finding& f : findings) {
    const auto ink = f.there ? report::Ink::kGreen : f.needed ? report::Ink::kRed : report::Ink::kYellow;
    say(fmt::format("{} {}{}\n", context.out.paint(ink, f.there ? "ok  " : f.needed ? "MISS" : "none"), report::pad(f.what, 16), f.detail));
    able = able && (f.there || !f.needed);
  }
  say(able ? "\nThis machine can judge.\n" : "\nThis machine cannot judge yet: see MISS above.\n");
  return able ? Exit::kAccepted : Exit::kCouldNot;
}

}  // namespace warpbook::commands
