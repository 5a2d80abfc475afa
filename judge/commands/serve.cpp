// judge serve: the workbook in a browser, on this machine and for whoever sits at it.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cxxopts.hpp>
#include <thread>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/run/interrupt.hpp"
#include "judge/serve/web_server.hpp"

namespace warpbook::commands {
namespace {

constexpr int kPort = 8787, kLastPort = 65535, kMostRunsAtOnce = 16;
/// The promise is five seconds from Ctrl-C to the prompt; what is left of connections then goes with the process.
constexpr std::chrono::milliseconds kUntilGone{4500};

/// The pages beside the sources, else beside the program.
std::filesystem::path pages_of(const Context& context) {
  const std::filesystem::path built = context.root / "judge" / "web" / "dist";
  const std::filesystem::path installed = context.program_folder / "web";
  std::error_code ignored;
  return !std::filesystem::exists(built, ignored) && std::filesystem::exists(installed, ignored) ? installed : built;
}

void wait_for_ctrl_c(const std::atomic<bool>& ended) {
  pollfd interrupt{run::interrupt_descriptor(), POLLIN, 0};
  constexpr int kLookMs = 500;
  while (!run::interrupted() && !ended) ::poll(&interrupt, 1, kLookMs);
}

}  // namespace

Exit serve(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge serve",
                         "The workbook in a browser: the same lessons, judge and progress. For this machine only; Ctrl-C ends it.");
  words.add_options()("port", "where it listens on 127.0.0.1; 0 takes any that is free",
                      cxxopts::value<int>()->default_value(std::to_string(kPort)))(
      "jobs", "how many runs at once; each uses all cores", cxxopts::value<int>()->default_value("1"))("help", "this text");
  const Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);
  const int port = (*parsed)["port"].as<int>(), jobs = (*parsed)["jobs"].as<int>();
  if (port < 0 || port > kLastPort) return usage({fmt::format("--port is {}, expected 0 to {}", port, kLastPort)});
  if (jobs < 1 || jobs > kMostRunsAtOnce) return usage({fmt::format("--jobs is {}, expected 1 to {}", jobs, kMostRunsAtOnce)});
  if (const auto tasks = find_tasks(context, {}); !tasks) return usage(tasks.error());

  serve::WebOptions options;
  options.workbook = context;
  options.pages = pages_of(context);
  options.port = port;
  options.runs_at_once = jobs;
  serve::WebServer server(std::move(options));
  const Result<int> bound = server.bind();
  if (!bound) return could_not(bound.error());
  say(fmt::format("workbook: http://127.0.0.1:{}/\n", *bound));

  std::atomic<bool> ended{false};
  std::thread listening([&] {
    server.run();
    ended = true;
  });
  wait_for_ctrl_c(ended);
  const auto until = std::chrono::steady_clock::now() + kUntilGone;
  server.stop();
  while (!ended && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  // Runs have ended and files are written; a client that still holds its connection has nothing to wait for.
  if (!ended) ::_exit(static_cast<int>(Exit::kAccepted));
  listening.join();
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
