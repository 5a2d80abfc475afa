#include "judge/serve/class_desk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "judge/store/postgres_schema.hpp"

namespace warpbook::serve {
namespace {

/// Requests answer within milliseconds, so a few connections serve hundreds of people; more would only make the database switch.
constexpr int kConnections = 8;
/// A page that opens asks for some twenty things at once.
constexpr double kSecondsAtOnce = 3;
/// Whole classes sit behind one address.
constexpr BucketSize kStrangers{600, kStrangersPerSecond};
/// Wrong passwords: ten at once, then one in half a minute; from one address a hundred, then one in three seconds. Only failures count, so
/// that a class that signs in together is not held up.
constexpr BucketSize kWrongLogins{10, 1.0 / 30}, kWrongAddresses{100, 1.0 / 3};

BucketSize per_minute(int number) { return {static_cast<double>(number), number / 60.0}; }

}  // namespace

ClassDesk::ClassDesk(ClassConfig of, std::shared_ptr<store::PostgresPool> database)
    : config(std::move(of)),
      pool(std::move(database)),
      people(pool),
      sessions(pool),
      overrides(pool),
      gradebook(pool),
      statistics(pool),
      submissions(pool),
      second_verdicts(pool),
      requests({kSecondsAtOnce * config.limits.requests_per_second, static_cast<double>(config.limits.requests_per_second)}),
      requests_of_strangers(kStrangers),
      runs(per_minute(config.limits.runs_per_minute)),
      traces(per_minute(config.limits.runs_per_minute)),
      wrong_logins(kWrongLogins),
      wrong_addresses(kWrongAddresses) {
  listens_on(config.port);
}

Result<std::unique_ptr<ClassDesk>> ClassDesk::open(ClassConfig config) {
  std::error_code failed;
  std::filesystem::create_directories(config.work, failed);
  if (failed || ::access(config.work.c_str(), W_OK | X_OK) != 0)
    return Error{"the folder of the learners' files cannot be made or written", Where{config.work.string()}};
  Result<std::shared_ptr<store::PostgresPool>> pool = store::PostgresPool::open(config.database, kConnections);
  if (!pool) return std::move(pool).error();
  if (Status ok = store::migrate(**pool); !ok) return std::move(ok).error();
  return std::unique_ptr<ClassDesk>(new ClassDesk(std::move(config), std::move(*pool)));
}

void ClassDesk::listens_on(int port) {
  const bool version_6 = config.address.find(':') != std::string::npos;
  const std::string here = version_6 ? fmt::format("[{}]:{}", config.address, port) : fmt::format("{}:{}", config.address, port);
  address_.origin = config.origin.empty() ? "http://" + here : config.origin;
  address_.hosts = {here, fmt::format("localhost:{}", port)};
}

Answer ClassDesk::failure_of(const Error& error) const {
  if (reachable()) return failure(500, "no-store", error);
  constexpr int kSeconds = 5;
  return try_again(503, "no-database", "the database of the class cannot be reached; nothing is lost, try again in a moment", kSeconds);
}

std::string ClassDesk::address_of(const Request& request) const {
  const std::string& named = request.header("x-forwarded-for");
  const bool behind_proxy = !config.origin.empty() && request.peer.starts_with("127.") && !named.empty();
  if (!behind_proxy) return request.peer;
  // The last one is whom the proxy itself saw; what stands before is what that client said.
  const std::size_t comma = named.rfind(',');
  const std::size_t begin = named.find_first_not_of(' ', comma == std::string::npos ? 0 : comma + 1);
  return begin == std::string::npos ? request.peer : named.substr(begin, 64);
}

}  // namespace warpbook::serve
