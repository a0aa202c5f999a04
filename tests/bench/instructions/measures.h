// What is counted. Each runs its program under callgrind, in a folder where callgrind's files remain.
#pragma once

#include <patchbay/result.h>

#include <map>
#include <string>
#include <vector>

namespace patchbay::bench {

// Instructions of one unit, by the name of the measure.
using Instructions = std::map<std::string, double>;

struct Measure {
  std::string name;  // of the run, which may count several things
  Result<Instructions> (*run)(const std::string& folder);
};

// Every 20 ms of one call, both ways: everything that the server does outside of the kernel.
Result<Instructions> count_call_frames(const std::string& folder);
// One request on a connection that is kept alive, and what it causes.
Result<Instructions> count_requests(const std::string& folder);
// One delivery of an event to one listener.
Result<Instructions> count_events(const std::string& folder);

// The program of count_events() that runs under callgrind. Returns the exit code.
int publish_events();

// The command that runs a program under callgrind.
std::vector<std::string> callgrind_command(const std::string& folder);
// The instructions that the program has counted with end_count(name).
Result<double> counted(const std::string& folder, const std::string& name);

}  // namespace patchbay::bench
