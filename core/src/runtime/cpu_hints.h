// Hints to the processor; all of them may be ignored.
#pragma once

namespace patchbay::core {

// In a loop that waits for another core: leaves the cache line to that core for some tens of ns.
inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Fetches the cache line at `address`, which this core is going to write, from the core that has written it.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__x86_64__)
  // The compiler emits this only for processors that are known to have it; on the others it is a no-op.
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace patchbay::core
