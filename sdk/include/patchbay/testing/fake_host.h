// FakeHost: a plugin under test, with a complete host, in the test's process.
//
//   patchbay::testing::FakeHost host("build/plugins/hello.so");
//   CHECK(host.start(R"({"greeting": "moin"})"));
//   CHECK(host.get("/hello").body == R"({"text":"moin"})");
//   CHECK(host.stop());
//   CHECK(host.problem_text() == "");
//
// Clocks do not advance before advance_ms(). Link Patchbay::testing.
#pragma once

#include <optional>
#include <string>

#include "fake_http.h"
#include "fake_port.h"
#include "test_environment.h"

namespace patchbay::testing {

// Call every function on the test's thread. None waits longer than Options::wait_ms.
class FakeHost : public TestEnvironment {
 public:
  // start() returns an error of loading.
  explicit FakeHost(const std::string& file, const Options& options = {}) : FakeHost(options) {
    static_cast<void>(load(file));
  }
  // For a plugin that is linked into the test.
  explicit FakeHost(const pb_entry& entry, const Options& options = {}) : FakeHost(options) {
    static_cast<void>(link(entry));
  }
  explicit FakeHost(const Options& options = {}) : TestEnvironment(options) {}
  // Stops the plugin before the test's services, as a server stops plugins before the ones they require.
  ~FakeHost() {
    static_cast<void>(stop());
    close();
  }

  // Sets the plugin under test. Error: why it cannot be loaded.
  Status load(const std::string& file) {
    pb_err err = empty_error();
    plugin_ = patchbay_testing_v1.load(raw(), to_abi(file), &err);
    return set_loaded(err);
  }
  Status link(const pb_entry& entry) {
    pb_err err = empty_error();
    plugin_ = patchbay_testing_v1.link(raw(), &entry, &err);
    return set_loaded(err);
  }
  std::string manifest() const { return std::string(from_abi(patchbay_testing_v1.manifest(raw(), plugin_))); }

  // Creates and starts it. `plugin` is its section under `plugins`, `tenants` is as in pb_testing_config;
  // both are checked against the manifest. provide() the services that it requires first, except
  // patchbay.http.
  Status start(std::string_view plugin = {}, std::string_view tenants = {}) {
    PB_TRY(loaded());
    PB_TRY(check_required());
    PB_TRY(step(PB_STEP_CREATE));
    Status started = step(PB_STEP_START, plugin, tenants);
    if (!started) static_cast<void>(step(PB_STEP_DESTROY));
    if (started) PB_TRY(settle());
    return started;
  }
  Status check_config(std::string_view plugin, std::string_view tenants = {}) {
    return step(PB_STEP_CHECK_CONFIG, plugin, tenants);
  }
  // check_config() and, if accepted, reconfigure.
  Status reconfigure(std::string_view plugin, std::string_view tenants = {}) {
    PB_TRY(check_config(plugin, tenants));
    return step(PB_STEP_RECONFIGURE, plugin, tenants);
  }
  Status drain() { return step(PB_STEP_DRAIN); }
  // Stops and destroys it; start() creates a new instance.
  Status stop() {
    PB_TRY(step(PB_STEP_STOP));
    return step(PB_STEP_DESTROY);
  }

  // Begins one step, PB_STEP_*, without waiting: for a drain that waits for a timer.
  Status begin_step(uint32_t which, std::string_view plugin = {}, std::string_view tenants = {}) {
    PB_TRY(loaded());
    const pb_testing_config config{sizeof config, 0, to_abi(plugin), to_abi(tenants)};
    pb_err err = empty_error();
    return read_status(patchbay_testing_v1.begin(raw(), plugin_, which, &config, &err), &err);
  }
  // The result of the begun step; nullopt when it has not finished.
  std::optional<Status> step_answer(int64_t max_wait_ms = 0) {
    int32_t status = PB_OK;
    pb_err err = empty_error();
    if (patchbay_testing_v1.answer(raw(), plugin_, max_wait_ms, &status, &err) == 0) return std::nullopt;
    return read_status(status, &err);
  }
  Status step(uint32_t which, std::string_view plugin = {}, std::string_view tenants = {}) {
    static constexpr const char* kNames[] = {"create", "start", "check_config", "reconfigure",
                                             "drain",  "stop",  "destroy"};
    PB_TRY(begin_step(which, plugin, tenants));
    if (auto answer = step_answer(-1)) return *answer;
    return {Code::timeout, std::string(kNames[which]) + " timed out"};
  }

  // The plugin's routes. A FakeHttp exists once a plugin was loaded, unless that provides patchbay.http
  // itself.
  bool has_http() const noexcept { return http_.has_value(); }
  FakeHttp& http() noexcept { return *http_; }
  http::Response ask(Ask request) {
    if (!http_) return http::error(503, "unavailable", "there is no fake patchbay.http");
    return http_->ask(std::move(request));
  }
  http::Response get(std::string target) { return ask({"GET", std::move(target)}); }
  http::Response post(std::string target, std::string json) {
    return ask({"POST", std::move(target), std::move(json)});
  }

 private:
  // Finishes load() and link().
  Status set_loaded(const pb_err& err) {
    loaded_ = plugin_ != 0 ? Status() : Status(read_error(err.code, &err));
    if (loaded_ && !http_ && !provides(http::Http::id)) http_.emplace(*this);
    return loaded_;
  }
  bool provides(std::string_view id) const {
    const auto doc = host().parse_json(manifest());
    const JsonView all = doc ? (*doc)["provides"] : JsonView();
    for (size_t i = 0; i < all.size(); ++i)
      if (all.at(i).text() == id) return true;
    return false;
  }
  Status loaded() const {
    if (plugin_ != 0 || !loaded_) return loaded_;
    return {Code::misuse, "no plugin was loaded"};
  }
  // Checks the required services, as a server does before it starts a plugin.
  Status check_required() const {
    PB_TRY_VALUE(const Json doc, host().parse_json(manifest()));
    const JsonView all = doc["requires"];
    for (size_t i = 0; i < all.size(); ++i) {
      const uint64_t lease = host().services->query(host().self, to_abi(all.at(i).text()));
      if (lease == 0)
        return {Code::unavailable, "it requires " + std::string(all.at(i).text()) + "; provide() it first"};
      host().services->unlease(host().self, lease);
    }
    return {};
  }

  Status loaded_;
  uint64_t plugin_ = 0;
  std::optional<FakeHttp> http_;
};

}  // namespace patchbay::testing
