#pragma once
// The operators there are: one file each, one line here, one in registry.cpp.
#include "common/operators/operator.hpp"

namespace warpbook::operators {

const Operator& layernorm();
const Operator& softmax();
const Operator& row_sum_max();

}  // namespace warpbook::operators
