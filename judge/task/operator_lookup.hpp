#pragma once
// How the manifest reader finds an operator: a seam, so that its tests bring operators of their own.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/operators/operator.hpp"

namespace warpbook::task {

struct OperatorLookup {
  std::function<const operators::Operator*(std::string_view)> find;
  std::function<std::vector<std::string>()> names;
};

/// The operators of common/operators.
OperatorLookup registered_operators();

}  // namespace warpbook::task
