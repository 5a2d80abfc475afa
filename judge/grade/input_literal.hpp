#pragma once
// An input as one line that can be pasted: `x=[5793, 5794] gamma=1 beta=0`. The judge prints a shrunk counter-example in this form, and
// `judge run TASK --input '...'` runs it.
//
//   x=[1, 2, 3]         a tensor's elements; the first matrix given says how many rows and columns the case has
//   x=[1, 2; 3, 4]      rows are separated by semicolons
//   x=[82*1024, 0]      1024 times 82, then 0
//   x=[(1, 2)*64; 0*2]  64 rows of 1 and 2, then one of zeros
//   gamma=1             every element is 1
//   gamma=absent        a null pointer, where the operator allows it
//   x.stride=8          elements from row to row;  x.offset=1: elements by which the base is off;  y.alias=x: in place
//   threads=64          a scalar of the operator; also rows=3 and cols=5 where no matrix says it
//   check=finite:1000   values are not compared, they must be finite and at most 1000;  bound=NAME: one of the operator's bounds
//
// Numbers as everywhere: 1e-5, 0x1.8p1, inf, -inf, nan, -0.
#include <string>
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

/// The case that a line describes. The error names the place in the line (file "--input", line 1, column) and what would be right.
Result<task::Case> parse_input(const task::Task& task, std::string_view line);

/// The line that describes a case whose inputs are all given by value or constant; parse_input turns it back into the same data.
std::string input_text(const task::Task& task, const task::Case& c);

}  // namespace warpbook::grade
