#pragma once
// Inside of judge/run: how a wait() hears of SIGINT and SIGTERM.

namespace warpbook::run {

/// A descriptor that becomes readable, and stays so, once the program was interrupted; -1 before install_interrupt_handler().
int interrupt_descriptor();

}  // namespace warpbook::run
