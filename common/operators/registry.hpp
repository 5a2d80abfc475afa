#pragma once
// The operators there are: one file each, one line here, one in registry.cpp.
#include "common/operators/operator.hpp"

namespace warpbook::operators {

const Operator& layernorm();
const Operator& softmax();
const Operator& row_sum_max();
const Operator& row_scale();
const Operator& rmsnorm();
const Operator& rmsnorm_f16_bf16();
const Operator& fused_add_rmsnorm();
const Operator& fused_add_rmsnorm_f32_bf16();
const Operator& cross_entropy();
const Operator& sampling();
const Operator& attention_row();
const Operator& groupnorm();
const Operator& layernorm_backward();

}  // namespace warpbook::operators
