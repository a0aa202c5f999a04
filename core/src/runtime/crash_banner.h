// The last words of a process that crashes: the signal, the plugin whose code ran, in which of its callbacks,
// on what kind of thread, the addresses that led there, and the command that makes lines of them, on stderr.
// Then the signal does what it would have done.
#pragma once

namespace patchbay::core {

// For SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, unless something else handles them already. Once, before
// other threads begin. The handler is safe wherever the signal comes; a stack that has run out is named only
// on the thread that called this.
void install_crash_banner();

}  // namespace patchbay::core
