#include "serve/heap_tuning.h"

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/sanitizers.h"

#ifdef __GLIBC__  // trim_heap() is a no-op with another libc

namespace {

// Memory of this process that is in use, in MiB.
long resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6)) / 1024;
  return -1;
}

// A sanitizer has its own heap.
constexpr bool kHasOtherHeap = patchbay::test::kHasAddressSanitizer || patchbay::test::kHasThreadSanitizer;

}  // namespace

TEST_CASE("memory of a peak load returns to the system, although a block at the end of the heap is in use" *
          doctest::skip(kHasOtherHeap)) {
  constexpr int kBlocks = 200'000;
  const long before = resident_mib();
  std::vector<std::unique_ptr<char[]>> flood;
  flood.reserve(kBlocks);
  for (int i = 0; i < kBlocks; ++i) {
    flood.emplace_back(new char[1000]);
    flood.back()[0] = 'x';
  }
  const std::unique_ptr<char[]> last(new char[1000]);
  last[0] = 'x';
  CHECK(resident_mib() > before + 150);
  flood.clear();
  flood.shrink_to_fit();
  patchbay::app::trim_heap();
  CHECK(resident_mib() < before + 32);
}

#endif
