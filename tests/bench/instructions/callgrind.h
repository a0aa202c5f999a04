// Counting of instructions in a program that runs under callgrind with --instr-atstart=no.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::bench {

// Begins to count, in all threads, or begins again. unsupported: not under callgrind.
Status begin_count();
// Writes what was executed since begin_count() to callgrind's next file, under this name.
Status end_count(const std::string& name);

}  // namespace patchbay::bench
