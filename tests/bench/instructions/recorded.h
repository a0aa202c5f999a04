// The file of recorded instruction counts: what they were recorded with, and a line for each measure.
#pragma once

#include <map>
#include <string>

#include "bench/instructions/measures.h"

namespace patchbay::bench {

struct Recorded {
  std::map<std::string, std::string> made_with;  // see this_environment()
  Instructions instructions;
};

// What the counts depend on besides the source: compiler, build type, valgrind, libraries and the processor's
// features, which select code at run time.
std::map<std::string, std::string> this_environment();

Recorded read_recorded(const std::string& path);  // empty if there is none
bool write_recorded(const std::string& path, const Recorded& recorded);

// Prints each measure beside its record. Returns whether none differs by more than kMaxChange.
inline constexpr double kMaxChange = 0.03;
bool compare(const Recorded& recorded, const Instructions& now);

}  // namespace patchbay::bench
