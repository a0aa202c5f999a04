#include "plugin_doctor/start_diagnosis.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "isolation/isolation_support.h"
#include "isolation/plugin_host_program.h"
#include "plugin_inspect/plugin_file_checks.h"
#include "plugins/plugin_file.h"
#include "plugins/start_order.h"
#include "terminal_text.h"

namespace patchbay::app {
namespace {

namespace fs = std::filesystem;
using core::Manifest;

Diagnosis diagnosis_of(const fs::path& file, const Inspection& inspection) {
  Diagnosis out;
  out.plugin = inspection.source ? inspection.source->manifest.id : file.filename().string();
  if (const Finding* reason = inspection.reason()) {
    out.state = Diagnosis::State::refused;
    out.why = reason->sentence();
  }
  for (const Finding& each : inspection.findings)
    if (&each != inspection.reason()) out.remarks.push_back(each.sentence());
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The inspected files of the plugin folder.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(path_, error))
      if (file.path().extension() == ".so") files.push_back(file.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) add(file);
  }

  // Adds a file under its name, as the server would find it; replaces a file of the same name.
  void add(const fs::path& file) {
    const std::string stem = file.stem().string();
    const Inspection inspection = inspect_plugin(file);
    Diagnosis diagnosis = diagnosis_of(file, inspection);
    manifests_.erase(stem);
    if (diagnosis.state == Diagnosis::State::starts && diagnosis.plugin != stem) {
      diagnosis.state = Diagnosis::State::refused;
      diagnosis.why = wrong_name(file, diagnosis.plugin);
    }
    diagnosis.plugin = stem;
    if (diagnosis.state == Diagnosis::State::starts) manifests_[stem] = inspection.source->manifest;
    found_[stem] = std::move(diagnosis);
  }

  std::vector<Diagnosis> diagnose(const std::vector<std::string>& configured) const {
    const auto refused = order(configured);
    std::vector<Diagnosis> all;
    for (const std::string& id : configured) all.push_back(configured_one(id, refused));
    for (const auto& [id, found] : found_) {
      if (contains(configured, id)) continue;
      all.push_back(found);
      if (found.state != Diagnosis::State::starts) continue;
      all.back().state = Diagnosis::State::not_configured;
      all.back().why = "not configured; add `" + id + ":` to `plugins:`";
    }
    return all;
  }
  std::vector<std::string> usable() const {
    std::vector<std::string> ids;
    for (const auto& [id, manifest] : manifests_) ids.push_back(id);
    return ids;
  }

 private:
  std::string wrong_name(const fs::path& file, const std::string& id) const {
    if (fs::exists(file.parent_path() / (id + ".so")))
      return "its id is '" + id + "', as that of " + id + ".so in the same folder; remove one of the two";
    return "its manifest says its id is '" + id + "'; rename the file to " + id + ".so";
  }

  Diagnosis configured_one(const std::string& id, const std::map<std::string, std::string>& refused) const {
    const auto found = found_.find(id);
    Diagnosis out;
    out.plugin = id;
    out.state = Diagnosis::State::refused;
    out.why =
        "there is no " + id + ".so in " + path_ + "; install it or take `" + id + ":` out of `plugins:`";
    if (found != found_.end()) out = found->second;
    const auto why = refused.find(id);
    if (out.state == Diagnosis::State::starts && why != refused.end()) {
      out.state = Diagnosis::State::refused;
      out.why = why->second;
    }
    return out;
  }

  // Why configured plugins that can be loaded would not be started, by id.
  std::map<std::string, std::string> order(const std::vector<std::string>& configured) const {
    std::vector<Manifest> chosen;
    for (const std::string& id : configured) {
      const auto at = manifests_.find(id);
      if (at != manifests_.end()) chosen.push_back(at->second);
    }
    std::map<std::string, std::string> providers;
    for (const auto& [id, manifest] : manifests_)
      for (const std::string& service : manifest.provides) providers.emplace(service, id);
    std::map<std::string, std::string> refused;
    for (auto& [index, why] : core::start_order(chosen, providers).refused)
      refused.emplace(chosen[index].id, std::move(why));
    return refused;
  }

  const std::string path_;
  std::map<std::string, Diagnosis> found_;     // by file name without .so, which must be the plugin's id
  std::map<std::string, Manifest> manifests_;  // of the plugins that can be loaded
};

}  // namespace

std::vector<Diagnosis> diagnose(const std::string& folder, const std::vector<std::string>& configured) {
  return Folder(folder).diagnose(configured);
}

Diagnosis diagnose_file(const std::string& file, const std::string& folder,
                        const std::optional<std::vector<std::string>>& configured) {
  Folder all(folder);
  all.add(file);
  const std::string stem = fs::path(file).stem().string();
  const auto list = all.diagnose(configured ? *configured : all.usable());
  const auto at =
      std::find_if(list.begin(), list.end(), [&](const Diagnosis& each) { return each.plugin == stem; });
  Diagnosis out = *at;  // add() made it
  std::error_code error;
  if (out.state != Diagnosis::State::refused && configured &&
      !fs::equivalent(file, fs::path(folder) / (stem + ".so"), error))
    out.remarks.push_back("it is not in the plugin folder; copy it to " + folder);
  return out;
}

void check_isolation(std::vector<Diagnosis>& all, const std::vector<std::string>& isolated,
                     const std::string& folder) {
  namespace iso = core::isolation;
  const auto host = iso::find_plugin_host("");
  const std::string open = iso::missing_containment();
  for (Diagnosis& each : all) {
    if (each.state != Diagnosis::State::starts || !contains(isolated, each.plugin)) continue;
    const auto source = core::read_plugin_file(fs::path(folder) / (each.plugin + ".so"));
    std::string why = source ? iso::isolation_obstacle(source->manifest.provides) : "";
    if (why.empty() && !host) why = host.error().text;
    if (!why.empty()) {
      each.state = Diagnosis::State::refused;
      each.why = why;
    } else if (!open.empty()) {
      each.remarks.push_back(open);
    }
  }
}

std::string sentence(const Diagnosis& diagnosis) {
  static constexpr const char* kStates[] = {"starts", "does not start: ", ""};
  std::string text = harmless(diagnosis.plugin) + ": " + kStates[static_cast<int>(diagnosis.state)] +
                     harmless(diagnosis.why) + "\n";
  for (const std::string& remark : diagnosis.remarks)
    text += harmless(diagnosis.plugin) + ": remark: " + harmless(remark) + "\n";
  return text;
}

}  // namespace patchbay::app
