#include "bench/instructions/callgrind.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

namespace patchbay::bench {

Status begin_count() {
  if (RUNNING_ON_VALGRIND == 0) return {Code::unsupported, "not under callgrind"};
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  return {};
}

Status end_count(const std::string& name) {
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  return {};
}

}  // namespace patchbay::bench

#else
namespace patchbay::bench {

Status begin_count() { return {Code::unsupported, "built without the header of the package valgrind"}; }
Status end_count(const std::string&) { return begin_count(); }

}  // namespace patchbay::bench
#endif
