#pragma once
// The API, a file a resource. What each route takes and answers stands in openapi.json, and a test holds the two together.
#include "judge/serve/router.hpp"
#include "judge/serve/service.hpp"

namespace warpbook::serve {

void add_workbook_routes(Router& router, Service& service);  ///< the map
void add_task_routes(Router& router, Service& service);      ///< text, cases, figures, solution
void add_file_routes(Router& router, Service& service);      ///< the learner's file
void add_run_routes(Router& router, Service& service);       ///< runs and their events
void add_attempt_routes(Router& router, Service& service);   ///< what is on record
void add_hint_routes(Router& router, Service& service);
void add_answer_routes(Router& router, Service& service);
void add_trace_routes(Router& router, Service& service);

}  // namespace warpbook::serve
