// Tunes glibc's heap, so that memory used under a peak load returns to the system. No-op with another libc.
#pragma once

namespace patchbay::app {

// Limits the number of arenas and allocates large blocks with mmap, against fragmentation. Call it before
// starting threads.
void limit_heap();

// Returns free memory to the system; may take milliseconds.
void trim_heap();

}  // namespace patchbay::app
