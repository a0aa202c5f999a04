// Why plugins would start or not, told without running any of their code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace patchbay::app {

struct Diagnosis {
  enum class State { starts, refused, not_configured };
  std::string plugin;  // id, or the file's name when it has none
  State state = State::starts;
  std::string why;                   // of one that does not start: "reason; cure"
  std::vector<std::string> remarks;  // what else should be put right
};

// Those that are configured in the order of the configuration, then the other files of the folder.
std::vector<Diagnosis> diagnose(const std::string& folder, const std::vector<std::string>& configured);

// One file, wherever it is, as a member of the folder. `configured`: none is known; then every plugin of the
// folder counts as configured.
Diagnosis diagnose_file(const std::string& file, const std::string& folder,
                        const std::optional<std::vector<std::string>>& configured);

// Those of `isolated` (ids) run in processes of their own: whether they can, and what this machine does not
// keep from them.
void judge_isolation(std::vector<Diagnosis>& all, const std::vector<std::string>& isolated,
                     const std::string& folder);

std::string sentence(const Diagnosis& diagnosis);  // "event-log: starts", a line; remarks follow, a line each

}  // namespace patchbay::app
