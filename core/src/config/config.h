// The configuration: read from one YAML file and the environment, checked against what the plugins declare.
//
// Two steps, because a plugin's schema is in its manifest and the file says where the manifests are: load()
// gives a Draft with the `server` section, check() the whole Config. To reload, do both again and put the new
// Config in the old one's place only when both succeed. Draft and Config are immutable; any thread may read
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/environment.h"
#include "config/file_schema.h"
#include "config/problem.h"
#include "config/value.h"
#include "json/document.h"

namespace patchbay::core::config {

struct Server {
  std::string data;          // absolute, as all paths here
  std::string plugin_dir;    //
  std::string admin_socket;  // data/admin.sock by default
  std::string management_listen;
  bool log_json = false;
  std::string log_level;  // debug, info, warn or error
  unsigned threads = 0;   // 0: one per core
  int64_t drain_timeout_s = 30;

  bool operator==(const Server&) const = default;
};

struct Tenant {
  std::string host;  // normalised
  std::string name;  // for people; the host unless given
  bool primary = false;
};

// Where a plugin runs: `isolation`, `restarts` and `paths` of its section, which are the core's.
struct Isolation {
  bool process = false;  // in a process of its own
  int64_t max_restarts = 5;
  int64_t within_s = 600;
  std::vector<std::string> paths = {};  // files and folders that it may reach there

  bool operator==(const Isolation&) const = default;
};

struct Sources {
  std::string file;
  Environment environment;         // see process_environment()
  std::string default_plugin_dir;  // absolute
};

// Either a value, or problems that say why there is none; with a value the problems are warnings.
template <class T>
struct Outcome {
  std::optional<T> value;
  std::vector<Problem> problems;
};

class Draft {
 public:
  const Server& server() const noexcept { return server_; }
  const std::vector<std::string>& plugins() const noexcept { return plugins_; }  // in the order of the file

 private:
  friend class DraftLoader;
  friend class ConfigChecker;
  Sources sources_;
  Value root_;  // hosts normalised, empty sections made mappings; environment not yet applied
  Server server_;
  std::vector<std::string> plugins_;
  std::vector<Problem> problems_;  // that check() would not find again
};

class Config {
 public:
  const Server& server() const noexcept { return server_; }
  const std::vector<std::string>& plugins() const noexcept { return plugins_; }
  const std::vector<Tenant>& tenants() const noexcept { return tenants_; }

  // Every secret in clear, each once, for the log's redaction.
  const std::vector<std::string>& secrets() const noexcept { return secrets_; }

  // What the plugin is handed, as JSON:
  // {"server":{...},"plugin":{...},"tenants":{"<host>":{"primary":bool,"name":"","section":{...},"WebPhone":{...}}}}
  std::string plugin_view(std::string_view plugin) const;
  Isolation isolation(std::string_view plugin) const;
  // As if server.data said so.
  void override_data_folder(std::string folder) { server_.data = std::move(folder); }

 private:
  friend class ConfigChecker;
  friend struct Diff diff(const Config& before, const Config& after);
  std::string own_view(std::string_view plugin) const;

  Server server_;
  std::vector<std::string> plugins_;
  std::vector<Tenant> tenants_;
  std::vector<std::string> secrets_;
  json::Document document_;  // the whole file, canonical
};

// Reads the file. Problems stop it when there is no YAML, or it does not say where plugins are. Other
// problems come with the draft; check() finds them again and tells them together with its own.
Outcome<Draft> load(Sources sources);
// The same with the text in hand; sources.file then only gives names and the folder of relative paths.
Outcome<Draft> load_text(Sources sources, std::string_view text);

// `installed` holds at least the plugins the draft names; others only help with spelling.
Outcome<Config> check(const Draft& draft, const std::vector<PluginSchema>& installed);

struct Diff {
  bool server = false;
  std::vector<std::string> added, removed;
  std::vector<std::string> changed;   // in both, with another view apart from `server`
  std::vector<std::string> isolated;  // in both, with another `isolation` or `restarts`

  bool empty() const noexcept {
    return !server && added.empty() && removed.empty() && changed.empty() && isolated.empty();
  }
};
Diff diff(const Config& before, const Config& after);

}  // namespace patchbay::core::config
