// Core::create_checked: what a server checks before its start, and what it leaves untouched.
#include <doctest/doctest.h>
#include <patchbay/core.h>
#include <patchbay/store.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "support/linked_plugin.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using patchbay::test::LinkedPlugin;
using patchbay::test::TemporaryFolder;

std::atomic<int> created{0}, started{0}, found{0};

// Looks for a statement while it is created, and accepts only `good: true`.
struct Early final : Plugin {
  static constexpr char manifest[] = R"({"id": "early", "version": "1.0.0",
      "config": {"plugin": {"type": "object", "properties": {"good": {"type": "boolean", "default": true}}}}})";
  static constexpr char store_sql[] = R"(
-- migration: 1
CREATE TABLE early_note (id TEXT PRIMARY KEY);
-- name: all
SELECT id FROM early_note;
)";
  Early() {
    ++created;
    found += Statement::find(host(), "all") ? 1 : 0;
  }
  Status start(const Config&) override {
    ++started;
    return {};
  }
  Status check_config(const Config& config) override {
    return config.plugin()["good"].boolean() ? Status() : Status(Code::invalid, "good must be true");
  }
};

Result<std::unique_ptr<Core>> create(const TemporaryFolder& folder, const std::string& section) {
  created = started = found = 0;
  CoreOptions options;
  options.config_file = (folder.path() / "patchbay.yaml").string();
  options.config_text =
      "server: {data: data}\nplugins: {early: {" + section + "}}\ntenants: {localhost: {}}\n";
  options.linked_plugins = {&LinkedPlugin<Early>::entry};
  options.environment.emplace();
  options.log_file = (folder.path() / "log").string();
  return Core::create_checked(std::move(options));
}

}  // namespace

TEST_CASE("a plugin that uses the store while it is created is checked, and then started") {
  const TemporaryFolder folder;
  auto core = create(folder, "");
  REQUIRE_MESSAGE(core.ok(), core.error().text);
  CHECK(created == 1);
  CHECK(found == 1);
  CHECK(started == 0);
  CHECK((*core)->start().ok());
  CHECK(created == 2);
  CHECK(found == 2);
  CHECK(started == 1);
}

TEST_CASE("a configuration that a plugin refuses leaves the data folder untouched, and the error says why") {
  const TemporaryFolder folder;
  const auto core = create(folder, "good: false");
  REQUIRE_FALSE(core.ok());
  CHECK(core.error().text.find("early would not start: good must be true") != std::string::npos);
  CHECK(started == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "data"));
}
