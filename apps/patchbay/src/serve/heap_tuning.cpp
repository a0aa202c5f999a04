#include "serve/heap_tuning.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace patchbay::app {

#ifdef __GLIBC__
namespace {
constexpr int kArenas = 4;
// Setting the threshold also stops glibc from raising it when a large block is freed; otherwise later blocks
// of that size would come from the arenas.
constexpr int kLargeBlock = 128 * 1024;
}  // namespace

void limit_heap() {
  mallopt(M_ARENA_MAX, kArenas);
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
}

void trim_heap() { malloc_trim(0); }
#else
void limit_heap() {}
void trim_heap() {}
#endif

}  // namespace patchbay::app
