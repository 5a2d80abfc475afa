#pragma once
// What every command gets and answers. One file a command; main.cpp holds the table.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/learner/workbook.hpp"
#include "judge/report/style.hpp"

namespace warpbook::commands {

/// Exit statuses, part of the command contract.
enum class Exit : int {
  kAccepted = 0,     ///< the code is accepted, or the command did what it was asked
  kNotAccepted = 1,  ///< judged, not accepted
  kUsage = 2,        ///< wrong usage or bad input
  kCouldNot = 3,     ///< could not judge
};

/// Where things are and how to speak (the language is that of WARPBOOK_LANG or LANG). Made once by main.
struct Context : learner::Workbook {
  report::Style out, err;
};

/// Text for the terminal; the only places where the judge prints.
void say(std::string_view text);       ///< to stdout
void complain(std::string_view text);  ///< to stderr
Exit usage(const Error& error);        ///< complains, answers kUsage
Exit could_not(const Error& error);    ///< complains, answers kCouldNot

using Arguments = std::vector<std::string>;
using Function = Exit (*)(const Context& context, const Arguments& arguments);

Exit list(const Context& context, const Arguments& arguments);
Exit show(const Context& context, const Arguments& arguments);
Exit start(const Context& context, const Arguments& arguments);
Exit run(const Context& context, const Arguments& arguments);
Exit exec(const Context& context, const Arguments& arguments);
Exit trace(const Context& context, const Arguments& arguments);
Exit bench(const Context& context, const Arguments& arguments);
Exit export_program(const Context& context, const Arguments& arguments);
Exit watch(const Context& context, const Arguments& arguments);
Exit hint(const Context& context, const Arguments& arguments);
Exit answer(const Context& context, const Arguments& arguments);
Exit solution(const Context& context, const Arguments& arguments);
Exit serve(const Context& context, const Arguments& arguments);
Exit verify(const Context& context, const Arguments& arguments);
Exit lint(const Context& context, const Arguments& arguments);
Exit new_task(const Context& context, const Arguments& arguments);
Exit doctor(const Context& context, const Arguments& arguments);

}  // namespace warpbook::commands
