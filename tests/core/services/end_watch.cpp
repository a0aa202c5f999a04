#include "services/end_watch.h"

#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/end_watch.h>
#include <patchbay/plugin.h>
#include <patchbay/service.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>

#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;

struct Keep {
  Handle of;  // the watched handle; 0: the calling plugin
  PATCHBAY_FIELDS(of)
};

struct Keeper {
  static constexpr char id[] = "test.end.keeper/1";
  static constexpr Method<0, Keep, Empty> keep{"keep"};
  static constexpr auto methods() { return std::make_tuple(keep); }
};

// A plugin that a test loads once at a time.
template <class T>
class OnlyPlugin : public Plugin {
 public:
  static constexpr char store_sql[] = "";
  static inline T* current = nullptr;

  Status start(const Config&) override {
    current = static_cast<T*>(this);
    return begin();
  }

 protected:
  // Runs f() on the main strand, after everything posted there before, and waits for it.
  template <class F>
  void run(F f) {
    auto done = std::make_shared<test::Promise<bool>>();
    post(host(), kMainStrand, [f = std::move(f), done]() mutable {
      f();
      done->set(true);
    });
    CHECK(done->get().has_value());
  }

 private:
  virtual Status begin() = 0;
};

// Watches a handle that another plugin passes, as if it kept a resource for it.
class KeeperPlugin final : public OnlyPlugin<KeeperPlugin> {
 public:
  static constexpr char manifest[] =
      R"({"id": "keeper", "version": "1.0.0", "provides": ["test.end.keeper/1"]})";

  Status begin() override {
    service_ = std::make_unique<Provision<Keeper>>(host());
    service_->on(Keeper::keep, [this](Keep request) -> Result<Empty> {
      const Handle of = request.of ? request.of : calling_plugin(host());
      if (!of) return {Code::failed, "a method does not know who calls"};
      kept_ = EndWatch(host(), of, [this] { ended.set(true); });
      return Empty{};
    });
    return service_->publish();
  }
  void stop(Done done) override {
    kept_ = {};
    service_.reset();
    done();
  }
  void close_watch() {
    run([this] { kept_ = {}; });
  }
  // Waits until all tasks posted to the main strand have run.
  void wait_for_strand() {
    run([] {});
  }
  bool outside_of_a_method() const { return calling_plugin(host()).id == 0; }

  // Set by the last instance; outlives it.
  static inline test::Promise<bool> ended;

 private:
  EndWatch kept_;
  std::unique_ptr<Provision<Keeper>> service_;
};

class SilentPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 0; }
  void pull(pb_frame& out) override { out.flags |= PB_FRAME_SILENCE; }
  void push(const pb_frame&) override {}
};

// Has an instance and a port, and asks the keeper to watch them.
class AskerPlugin final : public OnlyPlugin<AskerPlugin> {
 public:
  static constexpr char manifest[] =
      R"({"id": "asker", "version": "1.0.0", "requires": ["test.end.keeper/1"]})";

  Status begin() override {
    keeper_ = std::make_unique<Service<Keeper>>(host());
    listener_ = std::make_unique<Provision<Keeper>>(host());
    listener = listener_->handle();
    port = port_.open(host());
    return {};
  }
  void stop(Done done) override {
    keeper_.reset();
    listener_.reset();
    port_.close([done = std::move(done)]() mutable { done(); });
  }
  Status keep_for(Handle of) {
    auto answer = std::make_shared<test::Promise<Status>>();
    post(host(), kMainStrand, [this, of, answer] {
      keeper_->call(Keeper::keep, {of}, [answer](const Result<Empty>& kept) {
        answer->set(kept ? Status() : Status(kept.error()));
      });
    });
    return answer->get().value_or(Status(Code::timeout, "no answer"));
  }
  void withdraw() {
    post(host(), kMainStrand, [this] { listener_.reset(); });
  }
  void close_port() {
    port_.close([] {});
  }

  Handle listener, port;

 private:
  std::unique_ptr<Service<Keeper>> keeper_;
  std::unique_ptr<Provision<Keeper>> listener_;
  SilentPort port_;
};

struct Pair : test::TestServer {
  Pair()
      : TestServer("plugins: {keeper: {}, asker: {}}\ntenants: {localhost: {}}\n", nullptr,
                   {&test::LinkedPlugin<KeeperPlugin>::entry, &test::LinkedPlugin<AskerPlugin>::entry}) {
    REQUIRE(start_error() == "");
    static_cast<void>(KeeperPlugin::ended.get(std::chrono::milliseconds(0)));
  }
  KeeperPlugin& keeper() { return *KeeperPlugin::current; }
  AskerPlugin& asker() { return *AskerPlugin::current; }
};

}  // namespace

TEST_CASE("the end of an instance reaches its watch") {
  Pair pair;
  REQUIRE(pair.asker().keep_for(pair.asker().listener).ok());
  pair.asker().withdraw();
  CHECK(KeeperPlugin::ended.get().has_value());
}

TEST_CASE("the end of a port reaches its watch") {
  Pair pair;
  REQUIRE(pair.asker().keep_for(pair.asker().port).ok());
  pair.asker().close_port();
  CHECK(KeeperPlugin::ended.get().has_value());
}

TEST_CASE("a watch on a handle that has already ended is called at once") {
  Pair pair;
  pair.asker().withdraw();
  REQUIRE(pair.asker().keep_for(pair.asker().listener).ok());
  CHECK(KeeperPlugin::ended.get().has_value());
}

TEST_CASE("the stop of a calling plugin reaches the watch on it") {
  Pair pair;
  REQUIRE(pair.asker().keep_for({}).ok());
  CHECK(pair.keeper().outside_of_a_method());
  CHECK(pair.core().stop().ok());  // the asker first, as it requires the keeper
  CHECK(KeeperPlugin::ended.get().has_value());
}

TEST_CASE("a closed watch is not called") {
  Pair pair;
  REQUIRE(pair.asker().keep_for(pair.asker().listener).ok());
  pair.keeper().close_watch();
  pair.asker().withdraw();
  CHECK(pair.asker().keep_for({}).ok());  // after the withdrawal
  pair.keeper().wait_for_strand();
  CHECK(!KeeperPlugin::ended.get(std::chrono::milliseconds(0)).has_value());
}
