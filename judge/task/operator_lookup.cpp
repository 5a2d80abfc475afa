#include "judge/task/operator_lookup.hpp"

namespace warpbook::task {

OperatorLookup registered_operators() { return {operators::find_operator, operators::operator_names}; }

}  // namespace warpbook::task
