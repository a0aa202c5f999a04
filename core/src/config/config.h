// The configuration: read from one YAML file and the environment, checked against the plugins' schemas.
//
// Takes two steps, because the schemas are in the manifests, and the file says where the manifests are:
// load() returns a Draft with the `server` section, check() the whole Config. To reload, repeat both and
// replace the old Config only when both succeed. Draft and Config are immutable; any thread may read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/environment.h"
#include "config/file_schema.h"
#include "config/problem.h"
#include "config/yaml_value.h"
#include "json/document.h"

namespace patchbay::core::config {

struct Server {
  // All paths are absolute.
  std::string data;
  std::string store;           // connection URL of PostgreSQL; empty: SQLite in the data folder
  std::string store_password;  // for it; may be empty
  std::string plugin_dir;
  std::string admin_socket;  // default: data/admin.sock
  std::string management_listen;
  bool log_json = false;
  std::string log_level;  // debug, info, warn or error
  unsigned threads = 0;   // worker threads; 0: one per CPU
  int64_t drain_timeout_s = 0;

  bool operator==(const Server&) const = default;
};

struct Tenant {
  std::string host;  // as of normalise_host()
  std::string name;  // display name; default: the host
  bool primary = false;
};

// How a plugin runs: the keys `isolation`, `restarts` and `paths` of its section, which the core reads.
struct Isolation {
  bool process = false;      // true: in its own process
  int64_t max_restarts = 0;  // after crashes, within `within_s`; then the plugin stays down
  int64_t within_s = 0;
  std::vector<std::string> paths = {};  // files and folders that its process may access

  bool operator==(const Isolation&) const = default;
};

struct Sources {
  std::string file;
  Environment environment;         // see process_environment()
  std::string default_plugin_dir;  // absolute
};

// A value, whose problems are warnings; or no value, and the problems are errors.
template <class T>
struct Outcome {
  std::optional<T> value;
  std::vector<Problem> problems;
};

class Draft {
 public:
  const Server& server() const noexcept { return server_; }
  const std::vector<std::string>& plugins() const noexcept { return plugins_; }  // in file order
  // Begins an error of a plugin with the file, and with the line and column of the path that it begins with:
  // "patchbay.yaml:12:5".
  std::string place_of(std::string_view error) const;

 private:
  friend class DraftLoader;
  friend class ConfigChecker;
  Sources sources_;
  Value root_;  // hosts normalised, empty sections turned into mappings, environment not applied
  Server server_;
  std::vector<std::string> plugins_;
  std::vector<Problem> problems_;  // those that check() would not find again
};

class Config {
 public:
  const Server& server() const noexcept { return server_; }
  const std::vector<std::string>& plugins() const noexcept { return plugins_; }
  const std::vector<Tenant>& tenants() const noexcept { return tenants_; }

  // All secrets in clear text, without duplicates, for redaction in the log.
  const std::vector<std::string>& secrets() const noexcept { return secrets_; }

  // The configuration that a plugin gets, as JSON:
  // {"server":{...},"plugin":{...},"tenants":{"<host>":{"primary":bool,"name":"","section":{...},"WebPhone":{...}}}}
  std::string plugin_view(std::string_view plugin) const;
  Isolation isolation(std::string_view plugin) const;
  // Replaces server.data.
  void set_data_folder(std::string folder) { server_.data = std::move(folder); }

 private:
  friend class ConfigChecker;
  friend struct Diff diff(const Config& before, const Config& after);
  std::string view_without_server(std::string_view plugin) const;

  Server server_;
  std::vector<std::string> plugins_;
  std::vector<Tenant> tenants_;
  std::vector<std::string> secrets_;
  json::Document document_;  // the whole file, validated, with defaults
};

// Reads the file. Returns no Draft when the file is not YAML or does not say where the plugins are. Other
// problems come with the Draft; check() finds them again and reports them together with its own.
Outcome<Draft> load(Sources sources);
// Like load(), for a text; sources.file only gives the name in problems and the folder of relative paths.
Outcome<Draft> load_text(Sources sources, std::string_view text);

// `installed` holds the schemas of the plugins in the draft, and of others, for spelling hints.
Outcome<Config> check(const Draft& draft, const std::vector<PluginSchema>& installed);

// For trying what can be tried of a configuration with problems: the same without the plugins whose sections
// hold one. Nothing when a problem lies anywhere else, as in `server`, or when there are kMaxProblems.
std::optional<Config> check_without_flawed(const Draft& draft, const std::vector<PluginSchema>& installed);

struct Diff {
  bool server = false;
  std::vector<std::string> added, removed;
  std::vector<std::string> changed;   // in both, with a different plugin_view() apart from `server`
  std::vector<std::string> isolated;  // in both, with a different Isolation

  bool empty() const noexcept {
    return !server && added.empty() && removed.empty() && changed.empty() && isolated.empty();
  }
};
Diff diff(const Config& before, const Config& after);

}  // namespace patchbay::core::config
