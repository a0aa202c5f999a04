// Runs `patchbay` on a terminal, as people see it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "integration/program.h"

namespace patchbay::test {

// Returns the exit code, 128 + the signal of a killed process, and what the terminal shows, with LF at the
// end of lines. `typed` are the answers to questions whose answer is not shown. Ends the program after
// kPatience.
std::pair<int, std::string> run_on_terminal(const Program& program, std::vector<std::string> arguments,
                                            const std::vector<std::string>& typed = {});

}  // namespace patchbay::test
