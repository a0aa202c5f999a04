// The result of a configuration check for a plugin that runs in a separate process.
#include <doctest/doctest.h>
#include <patchbay/core.h>

#include <filesystem>
#include <string>

#include "support/test_server.h"

using namespace patchbay;

namespace {

// Checks a configuration whose one plugin is run by `program`, started under the name `how`.
Checked checked(const char* program, const std::string& how) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink(program, folder.path() / how);
  std::filesystem::create_directory(folder.path() / "plugins");
  std::filesystem::create_symlink(ISOLATION_KEEPER, folder.path() / "plugins" / "keeper.so");
  CoreOptions options;
  options.config_file = (folder.path() / "patchbay.yaml").string();
  options.config_text = "plugins: {keeper: {isolation: process}}\ntenants: {localhost: {}}\n";
  options.plugin_dir = (folder.path() / "plugins").string();
  options.plugin_host = (folder.path() / how).string();
  options.environment.emplace();
  if (how == "mute") options.start_deadline_ms = 3000;
  return check_configuration(options);
}

}  // namespace

TEST_CASE(
    "a process that ends, hangs or sends invalid frames in a check does not make the configuration invalid") {
  const auto blames = [](const Checked& check, const std::string& why) {
    INFO(check.sentences);
    CHECK(check.sound);
    CHECK_FALSE(check.usable);
    REQUIRE(check.refused.count("keeper") == 1);
    CHECK(check.refused.at("keeper").find(why) != std::string::npos);
  };
  blames(checked("/bin/true", "true"), "its process");
  blames(checked(ISOLATION_MISBEHAVING_HOST, "mute"), "check_config timed out after");
  blames(checked(ISOLATION_MISBEHAVING_HOST, "answers-first"), "it sent an invalid frame");
}

TEST_CASE("a process that cannot be started does not make the configuration invalid") {
  const Checked check = checked("/nowhere/patchbay-plugin-host", "host");
  INFO(check.sentences);
  CHECK(check.sound);
  CHECK_FALSE(check.usable);
  CHECK(check.sentences.find("keeper would not start: the program for isolated plugins") !=
        std::string::npos);
}
