// Diagnoses whether plugins would start, and why not, without running their code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace patchbay::app {

struct Diagnosis {
  enum class State { starts, refused, not_configured };
  std::string plugin;  // id, or the file name when the id cannot be read
  State state = State::starts;
  std::string why;                   // "reason; fix" when it does not start
  std::vector<std::string> remarks;  // further defects, which do not prevent the start
};

// Returns the configured plugins in the order of the configuration, then the other files of the folder.
std::vector<Diagnosis> diagnose(const std::string& folder, const std::vector<std::string>& configured);

// Diagnoses one file as if it were in the folder. Without `configured` every plugin of the folder counts as
// configured.
Diagnosis diagnose_file(const std::string& file, const std::string& folder,
                        const std::optional<std::vector<std::string>>& configured);

// For the plugins with `isolation: process` (ids in `isolated`): refuses those that cannot run isolated, and
// adds a remark when this machine cannot confine them fully.
void check_isolation(std::vector<Diagnosis>& all, const std::vector<std::string>& isolated,
                     const std::string& folder);

std::string sentence(const Diagnosis& diagnosis);  // "event-log: starts\n", then a line for each remark

}  // namespace patchbay::app
