#pragma once
// What is said when the program that uses this library crashes.
//
// The most common crash of a learner's program is host code that follows a device pointer. On a GPU it is a bare "Segmentation fault";
// here device addresses are known, so the handler can say whose memory it was. It also tells what is left of the report. Then the signal
// takes the course that it would have taken without us: the program's own handler, or the default action with the true exit status.

namespace warpbook::cudart {

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from now on; a second call does nothing.
void install_crash_handler();

}  // namespace warpbook::cudart
