#include <doctest/doctest.h>
#include <patchbay/lifetime.h>
#include <patchbay/service.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using patchbay::test::LinkedPlugin;
using patchbay::test::Promise;
using patchbay::test::TestServer;

struct Add {
  int64_t a = 0;
  int64_t b = 0;
  std::string note;
  Buffer bytes;
  Handle listener;
  PATCHBAY_FIELDS(a, b, note, bytes, listener)
};
struct Sum {
  int64_t sum = 0;
  std::string note;
  Buffer bytes;
  PATCHBAY_FIELDS(sum, note, bytes)
};
struct Adder {
  static constexpr char id[] = "test.adder/1";
  static constexpr Method<0, Add, Sum> add{"add"};
  static constexpr Method<1, Add, Sum> never{"never"};
  static constexpr Method<2, Add, Sum> add_inline{"add_inline", PB_METHOD_ANY};
  static constexpr auto methods() { return std::make_tuple(add, never, add_inline); }
};
struct Listener {
  static constexpr char id[] = "test.adder.listener/1";
  static constexpr Method<0, Sum, Empty> told{"told"};
  static constexpr auto methods() { return std::make_tuple(told); }
};

std::atomic<int> greeted{0};

struct Provider final : Plugin {
  static constexpr char manifest[] =
      R"({"id": "provider", "version": "1.0.0", "provides": ["test.adder/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override {
    adder_ = std::make_unique<Provision<Adder>>(host());
    adder_
        ->on(Adder::add,
             [this](Add request) -> Result<Sum> {
               if (request.note == "hello") ++greeted;
               if (request.a < 0) return {Code::invalid, "a must not be negative"};
               if (request.listener) {
                 Lease<Listener>::open(host(), request.listener).send(Listener::told, Sum{7, "told", {}});
               }
               return Sum{request.a + request.b, request.note + "!", request.bytes};
             })
        .on(Adder::never, [this](Add, Reply<Sum> reply) { kept_.push_back(std::move(reply)); })
        .on(Adder::add_inline, [](Add request) -> Result<Sum> {
          return Sum{request.a + request.b, "", {}};
        });
    return adder_->publish();
  }
  void stop(Done done) override {
    adder_.reset();
    done();
  }
  std::unique_ptr<Provision<Adder>> adder_;
  std::vector<Reply<Sum>> kept_;
};

struct CallerPlugin;
CallerPlugin* caller = nullptr;

struct CallerPlugin final : Plugin {
  static constexpr char manifest[] = R"({"id": "caller", "version": "1.0.0", "requires": ["test.adder/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override {
    caller = this;
    service_ = std::make_unique<Service<Adder>>(host());
    service_->send(Adder::add, Add{0, 0, "hello", {}, {}});
    listener_ = std::make_unique<Provision<Listener>>(host());
    listener_->on(Listener::told, [this](Sum sum) -> Result<Empty> {
      told.set(sum.note);
      return Empty{};
    });
    return {};
  }
  template <class M>
  void call(M method, Add request) {
    post(host(), kMainStrand, [this, method, request] {
      service_->call(method, request, [this](Result<Sum> result) { answer.set(std::move(result)); });
    });
  }
  Handle listener() { return listener_->handle(); }
  void stop(Done done) override {
    service_.reset();
    listener_.reset();
    done();
  }
  Promise<Result<Sum>> answer;
  Promise<std::string> told;
  std::unique_ptr<Service<Adder>> service_;
  std::unique_ptr<Provision<Listener>> listener_;
};

struct Both : TestServer {
  Both()
      : TestServer("plugins: {provider: {}, caller: {}}\ntenants: {localhost: {}}\n", nullptr,
                   {&LinkedPlugin<Provider>::entry, &LinkedPlugin<CallerPlugin>::entry}) {}
};

}  // namespace

TEST_CASE("a call carries strings and buffers to the provider's strand and back") {
  Both server;
  REQUIRE(server.start_error() == "");
  caller->call(Adder::add, Add{2, 3, "sum", Buffer::copy("bytes"), {}});
  const auto answer = caller->answer.get();
  REQUIRE(answer.has_value());
  REQUIRE(answer->ok());
  CHECK((*answer)->sum == 5);
  CHECK((*answer)->note == "sum!");
  CHECK((*answer)->bytes.view() == "bytes");
}

TEST_CASE("a provider's error reaches the caller with its code and text") {
  Both server;
  caller->call(Adder::add, Add{-1, 3, "", {}, {}});
  const auto answer = caller->answer.get();
  REQUIRE(answer.has_value());
  REQUIRE(!answer->ok());
  CHECK(answer->error().code == Code::invalid);
  CHECK(answer->error().text == "a must not be negative");
}

TEST_CASE("a private instance passed by its handle is called back") {
  Both server;
  Add request{1, 1, "", {}, {}};
  request.listener = caller->listener();
  caller->call(Adder::add, request);
  CHECK(caller->told.get().value_or("nothing") == "told");
}

TEST_CASE("what a plugin sent another while it started has arrived when the start is over") {
  greeted = 0;
  for (int i = 0; i < 20; ++i) {
    Both server;
    CHECK(greeted == i + 1);
  }
}

TEST_CASE("an inline method answers too") {
  Both server;
  caller->call(Adder::add_inline, Add{20, 22, "", {}, {}});
  const auto answer = caller->answer.get();
  REQUIRE(answer.has_value());
  CHECK((*answer)->sum == 42);
}

TEST_CASE("calls that were never answered do not hold up the stop") {
  Both server;
  caller->call(Adder::never, Add{});
  CHECK(!caller->answer.get(std::chrono::milliseconds(50)).has_value());
  const auto begin = std::chrono::steady_clock::now();
  CHECK(server.core().stop().ok());
  // Below the deadline (30 s) for which stop would have waited.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(25));
}

TEST_CASE("calls that wait for an answer are bounded in number and in bytes") {
  Both both;
  REQUIRE(both.start_error() == "");
  std::atomic<int> exhausted{0};
  Promise<bool> asked;
  const auto flood = [&](int count, size_t note) {
    post(caller->host(), kMainStrand, [&, count, note] {
      for (int i = 0; i < count; ++i) {
        caller->service_->call(Adder::never, Add{0, 0, std::string(note, 'x'), {}, {}},
                               [&](Result<Sum> result) {
                                 if (!result && result.error().code == Code::exhausted) ++exhausted;
                               });
      }
      asked.set(true);
    });
    REQUIRE(asked.get(std::chrono::seconds(60)).has_value());
  };
  const auto refused = [&](int count) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (exhausted < count && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return exhausted.load();
  };
  SUBCASE("in number") {
    flood(65536 + 10, 0);
    CHECK(refused(10) == 10);
  }
  SUBCASE("in bytes") {
    flood(134, size_t{1} << 20);
    CHECK(refused(7) == 7);  // each a little more than a MiB
  }
  CHECK(both.core().stop().ok());
}
