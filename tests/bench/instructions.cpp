// Counts instructions under callgrind and compares them with instructions.recorded. See README.md.
//
//   bench-instructions [--record] [--keep FOLDER] [calls|requests|events]...
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "bench/calls/server.h"
#include "bench/instructions/measures.h"
#include "bench/instructions/recorded.h"
#include "support/child_process.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

const Measure kMeasures[] = {
    {"calls", count_call_frames}, {"requests", count_requests}, {"events", count_events}};

struct Arguments {
  bool record = false;
  std::string keep;                // the folder for callgrind's files; "": they are removed
  std::vector<std::string> names;  // of runs; none: all
};

// Prints the names of the runs if one is unknown.
bool are_known(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::any_of(std::begin(kMeasures), std::end(kMeasures),
                    [&](const Measure& measure) { return measure.name == name; }))
      continue;
    std::fprintf(stderr, "there is no run '%s'; the runs are:", name.c_str());
    for (const Measure& measure : kMeasures) std::fprintf(stderr, " %s", measure.name.c_str());
    std::fprintf(stderr, "\n");
    return false;
  }
  return true;
}

bool count(const Arguments& arguments, Instructions& all) {
  bool good = true;
  const auto& names = arguments.names;
  for (const Measure& measure : kMeasures) {
    if (!names.empty() && std::find(names.begin(), names.end(), measure.name) == names.end()) continue;
    const test::TempFolder temporary;
    std::string folder = temporary.path();
    if (!arguments.keep.empty())
      std::filesystem::create_directories(folder = std::filesystem::absolute(arguments.keep) / measure.name);
    const auto counted = measure.run(folder);
    if (!counted) {
      std::printf("%s: %s\n", measure.name.c_str(), counted.error().text.c_str());
      good = false;
      continue;
    }
    all.insert(counted->begin(), counted->end());
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--server") == 0) return serve(argv[2], argv[3], argv[4]);
  if (argc == 2 && std::strcmp(argv[1], "--events") == 0) return publish_events();
  std::signal(SIGPIPE, SIG_IGN);
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--record") == 0)
      arguments.record = true;
    else if (std::strcmp(argv[i], "--keep") == 0 && i + 1 < argc)
      arguments.keep = argv[++i];
    else
      arguments.names.emplace_back(argv[i]);
  }
  if (!are_known(arguments.names)) return 2;
  Instructions all;
  const bool counted = count(arguments, all);
  Recorded recorded = read_recorded(BENCH_RECORDED);
  const bool kept = compare(recorded, all);
  if (!arguments.record) return counted && kept ? 0 : 1;
  for (const auto& [name, instructions] : all) recorded.instructions[name] = instructions;
  recorded.made_with = this_environment();
  return counted && write_recorded(BENCH_RECORDED, recorded) ? 0 : 1;
}
