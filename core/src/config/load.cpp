#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "config/file_validator.h"
#include "config/limits.h"
#include "config/tenant_host.h"
#include "config/yaml.h"
#include "json/printable_text.h"

namespace patchbay::core::config {
namespace {

// Strict, because the name becomes part of a file name.
bool is_plugin_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxPluginNameCharacters && name.front() != '-' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// Turns an empty section ("rest-api:") into an empty mapping.
void make_mapping(Value& value) {
  if (value.kind == Value::Kind::null) value.kind = Value::Kind::map;
}

}  // namespace

class DraftLoader {
 public:
  explicit DraftLoader(Sources sources) : validator_(draft_.sources_) {
    draft_.sources_ = std::move(sources);
  }

  Outcome<Draft> run(std::string_view text) {
    Problem problem;
    auto root = read_yaml(text, problem);
    if (!root) {
      problem.file = draft_.sources_.file;
      return {std::nullopt, {problem}};
    }
    draft_.root_ = *std::move(root);
    for (const char* section : {"server", "plugins", "tenants"})
      if (Entry* entry = draft_.root_.find(section)) open_sections(*entry);
    if (Entry* tenants = draft_.root_.find("tenants")) normalise_hosts(tenants->value);
    if (Entry* plugins = draft_.root_.find("plugins")) list_plugins(plugins->value);
    draft_.problems_ = validator_.problems();

    const json::Document document = validator_.run(outer_file_schema(), draft_.root_);
    draft_.server_ = to_server(document.root(), draft_.sources_);
    if (validator_.failed() && hides_plugins()) return {std::nullopt, validator_.problems()};
    return {std::move(draft_), validator_.problems()};
  }

 private:
  static void open_sections(Entry& section) {
    make_mapping(section.value);
    if (section.key == "server") return;
    for (Entry& entry : section.value.entries) make_mapping(entry.value);
  }

  void normalise_hosts(Value& tenants) {
    std::map<std::string, std::string> seen;  // by variable_name()
    for (Entry& entry : tenants.entries) {
      const std::string path = "tenants." + json::printable(entry.key, kMaxNameInProblem);
      const std::string host = normalise_host(entry.key);
      if (host.empty()) {
        validator_.problem(entry.mark, path, "is not a host name", "write one such as voice.example.com");
        continue;
      }
      const auto [other, fresh] = seen.emplace(variable_name(host), host);
      if (!fresh)
        validator_.problem(entry.mark, path,
                           other->second == host ? "is the same host as another tenant"
                                                 : "has the same environment variables as " + other->second,
                           "give it another host name");
      else
        entry.key = host;
    }
  }

  // Keeps the plugins with valid names.
  void list_plugins(Value& plugins) {
    std::vector<Entry> valid;
    for (Entry& entry : plugins.entries) {
      const std::string path = "plugins." + json::printable(entry.key, kMaxNameInProblem);
      if (!is_plugin_name(entry.key)) {
        validator_.problem(entry.mark, path, "is not a plugin's name", "write small letters, digits and -");
        continue;
      }
      draft_.plugins_.push_back(entry.key);
      valid.push_back(std::move(entry));
    }
    plugins.entries = std::move(valid);
  }

  // True when the plugins or their folder are unknown, so that check() would report wrong problems.
  bool hides_plugins() {
    const auto problems = validator_.problems();
    return std::any_of(problems.begin(), problems.end(), [this](const Problem& problem) {
      const bool whole = problem.path.empty() && problem.file == draft_.sources_.file;
      return whole || problem.path == "server" || problem.path == "plugins" ||
             problem.path == "server.plugin_dir";
    });
  }

  Draft draft_;
  SchemaValidator validator_;
};

Outcome<Draft> load_text(Sources sources, std::string_view text) {
  return DraftLoader(std::move(sources)).run(text);
}

Outcome<Draft> load(Sources sources) {
  std::error_code error;
  const auto status = std::filesystem::status(sources.file, error);
  const auto fail = [&](std::string text, std::string hint) {
    return Outcome<Draft>{std::nullopt, {{sources.file, 0, 0, "", std::move(text), std::move(hint)}}};
  };
  if (!std::filesystem::exists(status)) return fail("there is no such file", "name the configuration file");
  if (!std::filesystem::is_regular_file(status)) return fail("is not a file", "name the configuration file");
  std::ifstream file(sources.file, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file.is_open())) return fail("cannot be read", "check its permissions");
  text.resize(static_cast<size_t>(file.gcount()));
  return load_text(std::move(sources), text);
}

}  // namespace patchbay::core::config
