// judge serve: the workbook in a browser, on this machine and for whoever sits at it; or for a class.
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cxxopts.hpp>
#include <thread>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/run/interrupt.hpp"
#include "judge/serve/class_config.hpp"
#include "judge/serve/class_desk.hpp"
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

/// Open pages hold descriptors: hundreds of streams and connections, and the usual limit is 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Serves until Ctrl-C.
Exit serve_until_ctrl_c(serve::WebOptions options) {
  const serve::ClassDesk* desk = options.desk.get();
  serve::WebServer server(std::move(options));
  const Result<int> bound = server.bind();
  if (!bound) return could_not(bound.error());
  say(fmt::format("workbook: {}/\n", desk == nullptr ? fmt::format("http://127.0.0.1:{}", *bound) : desk->address().origin));

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

/// Puts an instructor into the class and prints the link with which they come in: how the first one does.
Exit invite(serve::ClassDesk& desk, const std::string& login, const std::string& name) {
  if (const std::string fault = classroom::login_fault(login); !fault.empty())
    return usage({fmt::format("--invite '{}': {}", login, fault)});
  if (const std::string fault = classroom::name_fault(name); !fault.empty()) return usage({fmt::format("--invite {}: {}", login, fault)});
  auto invited = desk.people.invite({{login, name, classroom::Role::kInstructor, true}}, serve::kInvitationValid);
  if (!invited) return could_not(invited.error());
  if (!invited->empty()) {
    say(desk.link_of(invited->front()) + "\n");
    return Exit::kAccepted;
  }
  // Who has a password already has perhaps lost it.
  const auto all = desk.people.all();
  if (!all) return could_not(all.error());
  for (const classroom::Person& person : *all) {
    if (classroom::login_key(person.login) != classroom::login_key(login)) continue;
    const auto again = desk.people.invite_again(person.id, serve::kInvitationValid);
    if (!again) return could_not(again.error());
    if (*again) say(desk.link_of(**again) + "\n");
    return Exit::kAccepted;
  }
  return could_not({fmt::format("'{}' is not in the class", login)});
}

Exit serve_class(const Context& context, const cxxopts::ParseResult& parsed) {
  for (const char* word : {"port", "jobs"})
    if (parsed.count(word) > 0) return usage({fmt::format("--{} is given beside --class; in a class its file says it", word)});
  Result<serve::ClassConfig> config = serve::read_class_config(parsed["class"].as<std::string>());
  if (!config) return usage(config.error());
  raise_descriptor_limit();
  Result<std::unique_ptr<serve::ClassDesk>> desk = serve::ClassDesk::open(std::move(*config));
  if (!desk) return could_not(desk.error());
  if (parsed.count("invite") > 0) {
    if (parsed.count("name") == 0) return usage({"--invite LOGIN needs the person's name behind it: --invite ada 'Ada Lovelace'"});
    return invite(**desk, parsed["invite"].as<std::string>(), parsed["name"].as<std::string>());
  }
  serve::WebOptions options;
  options.workbook = context;
  options.workbook.own.clear();
  options.pages = pages_of(context);
  options.threads = serve::kThreadsOfClass;
  options.desk = std::move(*desk);
  return serve_until_ctrl_c(std::move(options));
}

}  // namespace

Exit serve(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge serve",
                         "The workbook in a browser: the same lessons, judge and progress. For this machine only, or with --class for a "
                         "class; Ctrl-C ends it.");
  words.add_options()("port", "where it listens on 127.0.0.1; 0 takes any that is free",
                      cxxopts::value<int>()->default_value(std::to_string(kPort)))("jobs", "how many runs at once; each uses all cores",
                                                                                   cxxopts::value<int>()->default_value("1"))(
      "class", "serve a class, as this file says (judge/serve/README.md)", cxxopts::value<std::string>())(
      "invite", "with --class: print a link with which the instructor LOGIN comes in, and end", cxxopts::value<std::string>())(
      "name", "of whom --invite invites", cxxopts::value<std::string>())("help", "this text");
  words.parse_positional({"name"});
  words.positional_help("");
  const Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);
  const int port = (*parsed)["port"].as<int>(), jobs = (*parsed)["jobs"].as<int>();
  if (port < 0 || port > kLastPort) return usage({fmt::format("--port is {}, expected 0 to {}", port, kLastPort)});
  if (jobs < 1 || jobs > kMostRunsAtOnce) return usage({fmt::format("--jobs is {}, expected 1 to {}", jobs, kMostRunsAtOnce)});
  if (const auto tasks = find_tasks(context, {}); !tasks) return usage(tasks.error());
  if (parsed->count("class") > 0) return serve_class(context, *parsed);
  if (parsed->count("invite") > 0 || parsed->count("name") > 0) return usage({"people are invited into a class; --class FILE is missing"});

  serve::WebOptions options;
  options.workbook = context;
  options.pages = pages_of(context);
  options.port = port;
  options.runs_at_once = jobs;
  return serve_until_ctrl_c(std::move(options));
}

}  // namespace warpbook::commands
