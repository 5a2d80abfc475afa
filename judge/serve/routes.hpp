#pragma once
// The API, a file a resource. What each route takes and answers stands in openapi.json, and a test holds the two together.
#include "judge/serve/router.hpp"
#include "judge/serve/service.hpp"

namespace warpbook::serve {

void add_session_routes(Router& router,
                        Service& service);                   ///< which form this is; of a class: signing in and out, invitations
void add_workbook_routes(Router& router, Service& service);  ///< the map
void add_task_routes(Router& router,
                     Service& service);                  ///< text, cases, figures, solution
void add_file_routes(Router& router, Service& service);  ///< the learner's file
void add_run_routes(Router& router,
                    Service& service);  ///< runs and their events
void add_attempt_routes(Router& router,
                        Service& service);  ///< what is on record
void add_hint_routes(Router& router, Service& service);
void add_answer_routes(Router& router, Service& service);
void add_trace_routes(Router& router, Service& service);

// Of a class, for instructors.
void add_class_people_routes(Router& router, Service& service);  ///< who is in it, and invitations
void add_class_progress_routes(Router& router,
                               Service& service);                    ///< the table of everybody, the gradebook
void add_class_submission_routes(Router& router, Service& service);  ///< one learner's task, and overrides
void add_class_statistics_routes(Router& router, Service& service);
void add_class_rejudge_routes(Router& router, Service& service);

}  // namespace warpbook::serve
