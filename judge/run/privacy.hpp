#pragma once
// Who may look into whose memory. The judge holds expected values and verdicts, and a process of the same user may read and write all of
// it through /proc/PID/mem or ptrace, unless one of the two is closed to the other. Both ends are shut here:
//
//   - the judge is no process that others may look into (not dumpable), which stops everybody but root;
//   - what the judge starts gives up root's right to look anyway (CAP_SYS_PTRACE), and with it the right to look into a process that
//     still has that right: the kernel asks that a watcher may do all that the watched may.
//
// Everything else that root could do to the files of the machine is not prevented by this: that needs a sandbox.
namespace warpbook::run {

/// Closes this process, and those it forks, to other processes of its user; a program started by exec is open again.
void hide_own_memory();

/// Gives up root's right to look into other processes, for this process and all that come of it. Makes system calls only, so that it may
/// be called between vfork and exec. Who does not have that right has nothing to give up.
void give_up_looking();

}  // namespace warpbook::run
