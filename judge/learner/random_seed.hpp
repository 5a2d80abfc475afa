#pragma once
// A number that nobody can guess, for hidden inputs and for the variant of a learner's questions.
#include <cstdint>

namespace warpbook::learner {

/// 53 bits: the seed survives every JSON reader, also those that keep numbers as double.
std::uint64_t random_seed();

}  // namespace warpbook::learner
