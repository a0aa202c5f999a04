// The program's heap: what a flood made it grow to is given back to the system. Without glibc nothing
// happens.
#pragma once

namespace patchbay::app {

// Before any other thread: few arenas, and large blocks outside of them, so that freed memory does not stay
// in the holes of many heaps.
void bound_heap();

// Returns free memory to the system; takes milliseconds when there is much.
void give_memory_back();

}  // namespace patchbay::app
