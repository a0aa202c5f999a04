// FakeHost: a plugin under test, and everything it lives on, in the test's own process.
//
//   patchbay::testing::FakeHost host("build/plugins/hello.so");
//   CHECK(host.start(R"({"greeting": "moin"})"));
//   CHECK(host.get("/hello").body == R"({"text":"moin"})");
//   CHECK(host.stop());
//   CHECK(host.problem_text() == "");
//
// Clocks stand still until advance_ms(). Link Patchbay::testing.
#pragma once

#include <optional>
#include <string>

#include "fake_http.h"
#include "fake_port.h"
#include "test_environment.h"

namespace patchbay::testing {

// Every function is the test's thread's, and waits no longer than Options::wait_ms.
class FakeHost : public TestEnvironment {
 public:
  // A fault in loading is told by start().
  explicit FakeHost(const std::string& file, const Options& options = {}) : FakeHost(options) {
    static_cast<void>(load(file));
  }
  // A plugin linked into the test.
  explicit FakeHost(const pb_entry& entry, const Options& options = {}) : FakeHost(options) {
    static_cast<void>(link(entry));
  }
  explicit FakeHost(const Options& options = {}) : TestEnvironment(options) {}
  // The plugin goes first, as who requires something does in the server.
  ~FakeHost() {
    static_cast<void>(stop());
    close();
  }

  // The plugin under test from now on. Error: why it cannot be loaded.
  Status load(const std::string& file) {
    pb_err err = empty_error();
    plugin_ = patchbay_testing_v1.load(raw(), to_abi(file), &err);
    return take(err);
  }
  Status link(const pb_entry& entry) {
    pb_err err = empty_error();
    plugin_ = patchbay_testing_v1.link(raw(), &entry, &err);
    return take(err);
  }
  std::string manifest() const { return std::string(from_abi(patchbay_testing_v1.manifest(raw(), plugin_))); }

  // Makes and starts it. `plugin` is its section under `plugins`, `tenants` as in pb_testing_config, both
  // checked against the manifest. Services it requires must be there: provide() them first; patchbay.http is.
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
  // Asks, and when the answer is yes, tells.
  Status reconfigure(std::string_view plugin, std::string_view tenants = {}) {
    PB_TRY(check_config(plugin, tenants));
    return step(PB_STEP_RECONFIGURE, plugin, tenants);
  }
  Status drain() { return step(PB_STEP_DRAIN); }
  // Stops and destroys it; start() makes another.
  Status stop() {
    PB_TRY(step(PB_STEP_STOP));
    return step(PB_STEP_DESTROY);
  }

  // One step alone, PB_STEP_*, begun and answered apart: for a drain that waits for a timer.
  Status begin_step(uint32_t which, std::string_view plugin = {}, std::string_view tenants = {}) {
    PB_TRY(loaded());
    const pb_testing_config config{sizeof config, 0, to_abi(plugin), to_abi(tenants)};
    pb_err err = empty_error();
    return read_status(patchbay_testing_v1.begin(raw(), plugin_, which, &config, &err), &err);
  }
  // Nothing: not answered yet.
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
    return {Code::timeout, std::string("it did not come back from ") + kNames[which]};
  }

  // The plugin's routes. There is a FakeHttp once a plugin was loaded that does not provide patchbay.http
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
  // After load() and link().
  Status take(const pb_err& err) {
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
  // As the server does before it starts a plugin.
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
