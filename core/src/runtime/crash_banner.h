// Prints a crash report to stderr: the signal, the plugin whose code was running and in which callback, the
// kind of thread, the addresses on the stack, and one addr2line command per binary. Then the signal takes its
// default action.
#pragma once

namespace patchbay::core {

// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, except those that already have a handler. Call once,
// before other threads start. The handler works wherever the signal comes. A stack overflow is reported only
// on the calling thread, because only that thread gets an alternate signal stack.
void install_crash_banner();

}  // namespace patchbay::core
