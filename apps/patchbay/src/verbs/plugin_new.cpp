// patchbay plugin new: writes a plugin project that builds and has a passing test, as a starting point.
#include "plugin_new.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <system_error>

#include "plugin_new/plugin_templates.h"
#include "plugin_verbs.h"
#include "plugins/manifest.h"

namespace patchbay::app {
namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Major and minor only: before 1.0 minor versions are incompatible, patches are compatible.
std::string sdk_version() {
  const std::string version = PATCHBAY_VERSION;
  return version.substr(0, version.rfind('.'));
}

Status check_name(const std::string& name) {
  if (!core::is_plugin_id(name)) {
    return {Code::invalid,
            "NAME: '" + name +
                "' cannot be a plugin's name; use small letters, digits and '-', a letter first, at "
                "most 32: call-meter"};
  }
  for (const std::string_view taken : shipped_plugins()) {
    if (name == taken)
      return {Code::invalid, "NAME: '" + name + "' is the name of one of Patchbay's plugins; choose another"};
  }
  // Names of CMake's built-in targets.
  for (const char* taken : {"all", "clean", "help", "install", "package", "test"}) {
    if (name == taken) return {Code::invalid, "NAME: '" + name + "' is reserved by CMake; choose another"};
  }
  return {};
}

Status write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return {};
  return {Code::failed, "cannot write " + path.string() + (error ? ": " + error.message() : std::string())};
}

struct NewCommand {
  std::string name;
  std::string folder;
};

int run_plugin_new(const NewCommand& command) {
  const fs::path folder = command.folder.empty() ? fs::path(command.name) : fs::path(command.folder);
  const auto files = write_project(command.name, folder);
  if (!files) {
    std::fprintf(stderr, "patchbay: %s\n", files.error().text.c_str());
    return kUsage;
  }
  for (const std::string& file : *files) std::printf("%s\n", (folder / file).c_str());
  std::printf(
      "\nNow:\n  cd %s\n  cmake -B build        # -DCMAKE_PREFIX_PATH=FOLDER, where the SDK is not installed "
      "in /usr\n"
      "  cmake --build build\n  ctest --test-dir build\n"
      "  patchbay plugin validate build/plugins/%s.so\n"
      "  patchbay plugin run build/plugins/%s.so --watch\n",
      folder.c_str(), command.name.c_str(), command.name.c_str());
  return kDone;
}

}  // namespace

std::string class_name(const std::string& plugin) {
  std::string name;
  bool capital = true;
  for (const char c : plugin) {
    if (c != '-') name += capital && c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
    capital = c == '-';
  }
  return name;
}

Result<std::vector<std::string>> write_project(const std::string& name, const fs::path& folder) {
  PB_TRY(check_name(name));
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    return {Code::conflict, "--dir: " + folder.string() + " exists and is not empty"};
  const std::string class_text = class_name(name), version = sdk_version();
  const std::array<std::pair<std::string_view, std::string_view>, 3> words = {
      {{"%NAME%", name}, {"%CLASS%", class_text}, {"%VERSION%", version}}};
  std::vector<std::string> written;
  for (const TemplateFile& file : plugin_templates()) {
    std::string path(file.path), text(file.text);
    replace_all(path, "NAME", name);
    for (const auto& [word, meaning] : words) replace_all(text, word, meaning);
    PB_TRY(write_file(folder / path, text));
    written.push_back(std::move(path));
  }
  return written;
}

void add_plugin_new(Verb plugin, int& exit_code) {
  Verb verb = plugin.add_verb("new", "Write a new plugin's project, with a unit test and a CI file");
  const auto command = std::make_shared<NewCommand>();
  verb.add_option("NAME", command->name, "The plugin's id, file and target name: call-meter").required();
  verb.add_option("--dir", command->folder, "Folder to write to; by default NAME").type_name("DIR");
  verb.footer(
      "Examples:\n  patchbay plugin new call-meter\n  patchbay plugin new call-meter --dir src/call-meter");
  verb.callback([command, &exit_code] { exit_code = run_plugin_new(*command); });
}

}  // namespace patchbay::app
