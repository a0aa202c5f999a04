#include <cstdlib>
#include <filesystem>

#include "bench/instructions/measures.h"
#include "support/child_process.h"

namespace patchbay::bench {

// The scheduler of valgrind is fair, because otherwise a thread may wait for seconds while another runs.
std::vector<std::string> callgrind_command(const std::string& folder) {
  return {"valgrind",         "-q",
          "--tool=callgrind", "--instr-atstart=no",
          "--fair-sched=yes", "--callgrind-out-file=" + folder + "/callgrind.out"};
}

Result<double> counted(const std::string& folder, const std::string& name) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    const std::string text = test::read_text(file.path().string());
    if (text.find("Client Request: " + name + "\n") == std::string::npos) continue;
    const size_t totals = text.rfind("totals: ");
    if (totals != std::string::npos) return std::strtod(text.c_str() + totals + 8, nullptr);
  }
  return {Code::not_found, "callgrind has not counted " + name};
}

}  // namespace patchbay::bench
