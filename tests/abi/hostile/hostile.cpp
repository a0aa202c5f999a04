// Each hostile plugin in a real core beside a healthy one: its fault is logged with its name, and the core
// and the healthy plugin continue.
#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/service.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using test::Promise;

struct Number {
  int64_t number = 0;
  PATCHBAY_FIELDS(number)
};
struct Echo {
  static constexpr char id[] = "healthy.echo/1";
  static constexpr Method<0, Number, Number> say{"say"};
  static constexpr auto methods() { return std::make_tuple(say); }
};

struct Healthy;
Healthy* healthy = nullptr;

struct Healthy final : Plugin {
  static constexpr char manifest[] =
      R"({"id": "healthy", "version": "1.0.0", "provides": ["healthy.echo/1"]})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    echo_ = std::make_unique<Provision<Echo>>(host());
    echo_->on(Echo::say, [](const Number& number) -> Result<Number> { return number; });
    PB_TRY(echo_->publish());
    service_ = std::make_unique<Service<Echo>>(host());
    PB_TRY_VALUE(heard_, Subscription::open(host(), "healthy.ping", [this](const Event& event) {
                   heard.set(std::string(event.payload()));
                 }));
    healthy = this;
    return {};
  }
  void stop(Done done) override {
    healthy = nullptr;
    service_.reset();
    echo_.reset();
    heard_ = {};
    done();
  }

  // Publishes and receives an event, calls and answers a service, on its strand and through the core.
  void check_works() {
    post(host(), kMainStrand, [this] {
      publish(host(), {"healthy.ping", "localhost", "", "", R"({"n":1})"});
      service_->call(Echo::say, {7}, [this](Result<Number> said) { answered.set(said ? said->number : -1); });
    });
    CHECK(heard.get().value_or("nothing") == R"({"n":1})");
    CHECK(answered.get().value_or(0) == 7);
  }

  Promise<std::string> heard;
  Promise<int64_t> answered;
  std::unique_ptr<Provision<Echo>> echo_;
  std::unique_ptr<Service<Echo>> service_;
  Subscription heard_;
};

// `faults` is "throws-in-start" or "never-starts: {}, hostile-never-stops".
std::string yaml(const std::string& faults, int turn = 0) {
  return "plugins: {healthy: {}, hostile-" + faults + ": {turn: " + std::to_string(turn) +
         "}}\ntenants: {localhost: {}}\n";
}

struct Server : test::TestServer {
  explicit Server(const std::string& faults)
      : TestServer(yaml(faults), nullptr, {&test::LinkedPlugin<Healthy>::entry}, {},
                   [](CoreOptions& options) {
                     options.plugin_dir = PATCHBAY_HOSTILE_PLUGINS;
                     options.start_deadline_ms = 3000;
                     options.drain_deadline_ms = 3000;
                     options.stall_ms = 300;
                     options.environment->emplace("PATCHBAY_SERVER__THREADS", "2");
                   }) {}

  // Waits at most a minute for a line of the log that contains all three.
  bool logs(const std::string& name, const std::string& what, const std::string& also = "") const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (; std::chrono::steady_clock::now() < deadline;
         std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      std::istringstream lines(log());
      for (std::string line; std::getline(lines, line);)
        if (line.find(name) != std::string::npos && line.find(what) != std::string::npos &&
            line.find(also) != std::string::npos)
          return true;
    }
    MESSAGE(log());
    return false;
  }
};

// The plugin does not start, for that reason; all else continues.
void refused(const std::string& fault, const std::string& why) {
  Server server(fault);
  CHECK(server.start_error() == "hostile-" + fault + " not started: " + why);
  healthy->check_works();
  CHECK(server.core().report("ready").find(R"("healthy":"running")") != std::string::npos);
  CHECK(server.core().stop().ok());
}

// The plugin starts, and its fault is logged with its name.
void named(const std::string& fault, const std::string& what, const std::string& also = "") {
  Server server(fault);
  CHECK(server.start_error() == "");
  CHECK(server.logs("hostile-" + fault, what, also));
  healthy->check_works();
  CHECK(server.core().stop().ok());
}

}  // namespace

TEST_CASE("a wrong magic is refused") {
  refused("has-wrong-magic",
          "its patchbay_plugin_v1 is not a plugin entry (wrong magic); build it with patchbay_add_plugin");
}
TEST_CASE("an entry of size 0 is refused") {
  refused("has-size-zero", "its entry states an impossible size (0 bytes); rebuild it with the Patchbay SDK");
}
TEST_CASE("an entry of a huge size is refused") {
  refused("has-a-huge-size",
          "its entry states an impossible size (2147483647 bytes); rebuild it with the Patchbay SDK");
}
TEST_CASE("an entry without create is refused") {
  refused("has-no-create", "its entry has no create function");
}
TEST_CASE("a huge manifest is refused") {
  refused("has-a-huge-manifest", "its manifest is larger than 256 KiB");
}
TEST_CASE("a table that lacks functions is refused") {
  refused("misses-functions", "its table lacks functions or states a wrong size");
}
TEST_CASE("a table of size 0 is refused") {
  refused("states-size-zero", "its table lacks functions or states a wrong size");
}

TEST_CASE("a plugin that throws in start is refused") { refused("throws-in-start", "hostile words"); }
TEST_CASE("a plugin that throws in an event is named") {
  named("throws-in-event", "hostile words", "where=event");
}
TEST_CASE("a plugin that throws in a timer is named") {
  named("throws-in-timer", "hostile words", "where=timer");
}
TEST_CASE("a plugin that throws in a posted task is named") {
  named("throws-in-post", "hostile words", "where=post");
}
TEST_CASE("a plugin that throws on a worker is named") {
  named("throws-in-worker", "hostile words", "where=worker");
}
TEST_CASE("a plugin that throws in a method is named and its caller answered") {
  named("throws-in-method", "hostile words", "where=hostile.echo/1");
  named("throws-in-method", "answered", "the provider dropped the call");
}
TEST_CASE("a plugin that throws in a reply is named") {
  named("throws-in-reply", "hostile words", "where=hostile.echo/1");
}
TEST_CASE("a plugin that throws with the rows of a query is named") {
  named("throws-in-query", "hostile words", "where=query");
}
TEST_CASE("a port that throws is named and falls silent") {
  named("throws-in-port", "hostile words", "audio port");
}
TEST_CASE("a plugin that throws in check_config refuses the configuration") {
  Server server("throws-in-check");
  const Status reloaded = server.reload(yaml("throws-in-check", 1));
  REQUIRE(!reloaded.ok());
  CHECK(reloaded.error().text == "hostile-throws-in-check: hostile words");
  healthy->check_works();
  CHECK(server.core().stop().ok());
}
TEST_CASE("a plugin that throws in reconfigure is named") {
  Server server("throws-in-reconfigure");
  CHECK(server.reload(yaml("throws-in-reconfigure", 1)).ok());
  CHECK(server.logs("hostile-throws-in-reconfigure", "hostile words", "where=reconfigure"));
  healthy->check_works();
  CHECK(server.core().stop().ok());
}
TEST_CASE("a plugin that throws in drain and stop is named") {
  Server server("throws-in-drain");
  server.core().drain();
  CHECK(server.logs("hostile-throws-in-drain", "hostile words", "where=drain"));
  CHECK(server.core().stop().ok());
  Server other("throws-in-stop");
  const Status stopped = other.core().stop();
  CHECK((stopped ? std::string() : stopped.error().text)
            .find("hostile-throws-in-stop: it threw an exception") == 0);
  CHECK(other.logs("hostile-throws-in-stop", "hostile words", "where=stop"));
}

TEST_CASE("a start that never returns times out and its thread is replaced") {
  Server server("never-starts");
  CHECK(server.start_error() == "hostile-never-starts not started: start timed out after 3000 ms");
  CHECK(server.logs("a plugin holds its strand", "hostile-never-starts"));
  healthy->check_works();
  CHECK(server.core().stop().ok());
}
TEST_CASE("a start that never completes times out") {
  refused("never-answers", "start timed out after 3000 ms");
}
TEST_CASE("a start that completes several times counts once") {
  Server server("answers-often");
  CHECK(server.start_error() == "");
  healthy->check_works();
  CHECK(server.core().stop().ok());
}
TEST_CASE("a stop that never returns times out and the core stops nevertheless") {
  Server server("never-stops");
  CHECK(server.start_error() == "");
  healthy->check_works();
  const Status stopped = server.core().stop();
  REQUIRE(!stopped.ok());
  CHECK(stopped.error().text == "hostile-never-stops: stop timed out after 3000 ms");
}
TEST_CASE("plugins that never return are named and each blocked thread is replaced") {
  Server server("never-starts: {}, hostile-hangs-in-event");
  CHECK(server.logs("a plugin holds its strand", "hostile-never-starts"));
  CHECK(server.logs("a plugin holds its strand", "hostile-hangs-in-event"));
  healthy->check_works();
  const Status stopped = server.core().stop();
  REQUIRE(!stopped.ok());
  CHECK(stopped.error().text.find("hostile-hangs-in-event: stop timed out") == 0);
}

TEST_CASE("a plugin that calls forbidden functions on a media loop is named") {
  named("calls-on-media-loop", "a function was called on a media loop", "function=publish");
  named("calls-on-media-loop", "a function was called on a media loop", "function=parse");
}
TEST_CASE("a plugin that floods the bus is named and others are still served") {
  Server server("floods");
  healthy->check_works();
  CHECK(server.logs("hostile-floods", "floods the bus"));
  CHECK(server.logs("hostile-floods", "the flood is over"));
  healthy->check_works();
  CHECK(server.core().stop().ok());
}
TEST_CASE("a plugin that never releases a buffer only leaks its memory") {
  Server server("keeps-a-buffer");
  CHECK(server.start_error() == "");
  healthy->check_works();
  CHECK(server.core().stop().ok());
}
TEST_CASE("handles that a plugin leaks are closed and named when it stops") {
  Server server("leaks");
  CHECK(server.start_error() == "");
  healthy->check_works();
  CHECK(server.core().stop().ok());
  CHECK(server.logs("hostile-leaks", "it left behind what the core has ended now",
                    "1 media attachment, 1 port opening, 1 port, 1 timer, 1 subscription, 1 job worker, "
                    "1 consumer, 1 transaction, 1 watch, 2 leases, 1 schema, 1 strand"));
}
TEST_CASE("a plugin that closes twice is named") {
  for (const char* function : {"unlease", "strand_close", "timer_close", "unsubscribe"})
    named("closes-twice", "a handle was closed that is not held", std::string("function=") + function);
}
TEST_CASE("a message that states a wrong size is read within its shape") {
  named("states-wrong-sizes", "heard", "text=\"\"");
  named("states-wrong-sizes", "heard", "text=hi");
}

// Such a process may crash at once, later or never; the server must not be affected.
TEST_CASE("faults that corrupt a process affect only the isolated plugin's process") {
  for (const std::string fault : {"answers-a-call-twice", "releases-a-buffer-twice", "reads-what-was-lent",
                                  "writes-anywhere", "exits", "throws-bare"}) {
    CAPTURE(fault);
    test::TestServer server("plugins: {healthy: {}, hostile-" + fault +
                                ": {isolation: process, restarts: {most: 2, within_s: 600}}}\n"
                                "tenants: {localhost: {}}\n",
                            nullptr, {&test::LinkedPlugin<Healthy>::entry}, {},
                            [](CoreOptions& options) { options.plugin_dir = PATCHBAY_HOSTILE_PLUGINS; });
    const std::string& error = server.start_error();
    CHECK((error == "" || error.find("hostile-" + fault + " not started: ") == 0));
    healthy->check_works();
    const bool always_ends = fault == "writes-anywhere" || fault == "exits" || fault == "throws-bare";
    if (always_ends && error == "") {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      const auto quarantined = [&] {
        return server.core().report("plugins").find("quarantined") != std::string::npos;
      };
      while (!quarantined() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      CHECK(quarantined());
    }
    healthy->check_works();
    CHECK(server.core().report("ready").find(R"("healthy":"running")") != std::string::npos);
    static_cast<void>(server.core().stop());
  }
}
