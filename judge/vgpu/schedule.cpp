#include "judge/vgpu/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace warpbook::vgpu {

std::vector<std::size_t> schedule_order(const Schedule& schedule, std::size_t count, std::uint64_t salt) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (schedule.order == Schedule::Order::kDescending) std::reverse(order.begin(), order.end());
  if (schedule.order == Schedule::Order::kSeeded) {
    std::mt19937_64 random(schedule.seed ^ (salt * 0x9E3779B97F4A7C15ull));
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  }
  return order;
}

std::uint64_t block_in_turn(const Schedule& schedule, std::uint64_t turn, std::uint64_t count) {
  if (schedule.order == Schedule::Order::kDescending) return count - 1 - turn;
  if (schedule.order == Schedule::Order::kAscending || count < 3) return turn;
  // turn -> (step * turn + start) mod count visits every block once when step and count have no common divisor; grids have up to 2^31 - 1
  // blocks, so a table of them is out of the question.
  std::mt19937_64 random(schedule.seed);
  const std::uint64_t start = random() % count;
  std::uint64_t step = random() % count;
  while (std::gcd(step, count) != 1) step = (step + 1) % count;
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(step) * turn + start) % count);
}

}  // namespace warpbook::vgpu
