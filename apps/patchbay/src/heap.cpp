#include "heap.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace patchbay::app {

#ifdef __GLIBC__
namespace {
constexpr int kArenas = 4;
// Setting it also stops glibc from raising it: after the first large block was freed, blocks of that size
// would come from the arenas for ever.
constexpr int kLargeBlock = 128 * 1024;
}  // namespace

void bound_heap() {
  mallopt(M_ARENA_MAX, kArenas);
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
}

void give_memory_back() { malloc_trim(0); }
#else
void bound_heap() {}
void give_memory_back() {}
#endif

}  // namespace patchbay::app
