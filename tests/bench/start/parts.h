// What the start and the idle memory of Patchbay consist of.
#pragma once

#include <patchbay/result.h>

namespace patchbay::bench {

// Prints three tables: what each plugin adds to time and memory, when the plugins are added one after the
// other (medians of `rounds`); the memory of a whole server by file; its threads, with their processor time.
Status print_parts(int rounds);

}  // namespace patchbay::bench
