// Transactions that two plugins build together, with the keeper in this process and in a separate one.
#include <doctest/doctest.h>
#include <patchbay/plugin.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>

#include "core/isolation/keeper/keeper.h"
#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using namespace patchbay::keeper;

// Stamps transactions of the keeper, and has the keeper add to its own.
class StampPlugin final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "stamper", "version": "1.0.0", "provides": ["test.stamper/1"], "optional": ["test.keeper/1"]})";
  static constexpr char store_sql[] =
      "-- migration: 1\nCREATE TABLE stamper_stamp (id {{ID}}, word TEXT NOT NULL);\n"
      "-- name: add\nINSERT INTO stamper_stamp (word) VALUES ($1);\n"
      "-- name: count\nSELECT COUNT(*) FROM stamper_stamp;\n";
  static inline StampPlugin* current = nullptr;

  Status start(const Config&) override {
    add_ = Statement::find(host(), "add");
    count_ = Statement::find(host(), "count");
    keeper_ = std::make_unique<Service<Keeper>>(host());
    offered_ = std::make_unique<Provision<Stamper>>(host());
    offered_->on(Stamper::stamp, [this](Entry entry) -> Result<Empty> {
      if (entry.word == "no") return {Code::denied, "no stamp"};
      Transaction::borrow(host(), entry.tx).exec(add_, {entry.word}, 1);
      return Empty{};
    });
    current = this;
    return offered_->publish();
  }
  void stop(Done done) override {
    offered_.reset();
    keeper_.reset();
    done();
  }

  // From the test's thread; each waits a minute at most.
  template <class M>
  Result<typename M::Reply> call(M method, typename M::Request request) {
    auto answer = std::make_shared<test::Promise<Result<typename M::Reply>>>();
    post(host(), kMainStrand, [this, method, request = std::move(request), answer] {
      keeper_->call(method, request, [answer](auto result) { answer->set(std::move(result)); });
    });
    return came(answer);
  }
  // A transaction of the stamper's, to which the keeper adds a row; the stamper fails it afterwards or not.
  Status keep_together(const std::string& word, bool fail) {
    auto answer = std::make_shared<test::Promise<Status>>();
    post(host(), kMainStrand, [this, word, fail, answer] {
      auto tx = std::make_shared<Transaction>(host());
      tx->exec(add_, {word}, 1);
      keeper_->call(Keeper::note, {tx->handle(), word}, [this, tx, fail, answer](Result<Empty> noted) {
        if (!noted) return answer->set(noted.error());
        if (fail) tx->exec(add_, {"never"}, 2);
        std::move(*tx).commit(
            [answer](const Commit& outcome) { answer->set(outcome ? Status() : Status(outcome.error())); });
      });
    });
    return came(answer);
  }
  int64_t stamps() {
    auto answer = std::make_shared<test::Promise<int64_t>>();
    post(host(), kMainStrand, [this, answer] {
      query(host(), count_, {},
            [answer](Result<Rows> rows) { answer->set(rows ? rows->integer(0, 0) : -1); });
    });
    return answer->get().value_or(-1);
  }

 private:
  template <class T>
  static T came(const std::shared_ptr<test::Promise<T>>& answer) {
    auto result = answer->get();
    return result ? std::move(*result) : T(Error{Code::timeout, "no answer in a minute"});
  }
  Statement add_, count_;
  std::unique_ptr<Service<Keeper>> keeper_;
  std::unique_ptr<Provision<Stamper>> offered_;
};

void transactions_cross(const std::string& isolation) {
  test::TestServer server("plugins: {stamper: {}, keeper: " + isolation + "}\ntenants: {localhost: {}}\n",
                          nullptr, {&test::LinkedPlugin<StampPlugin>::entry}, {{"keeper", ISOLATION_KEEPER}});
  REQUIRE(server.start_error() == "");
  StampPlugin& stamper = *StampPlugin::current;
  const auto rows = [&] {
    const auto counted = stamper.call(Keeper::count, {});
    return counted.ok() ? counted.value().rows : -1;
  };

  const auto written = stamper.call(Keeper::write, {{}, "one"});
  REQUIRE(written.ok());
  CHECK(written.value().what == "stamped");
  CHECK(rows() == 2);
  CHECK(stamper.stamps() == 1);

  const auto refused = stamper.call(Keeper::write, {{}, "no"});
  REQUIRE(!refused.ok());
  CHECK(refused.error().text == "no stamp");
  CHECK(rows() == 2);

  CHECK(stamper.keep_together("two", false).ok());
  CHECK(rows() == 3);
  CHECK(stamper.stamps() == 2);
  const Status failed = stamper.keep_together("three", true);
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == Code::conflict);
  CHECK(rows() == 3);
  CHECK(stamper.stamps() == 2);
  CHECK(server.core().stop().ok());
}

}  // namespace

TEST_CASE("two plugins of this process build one transaction") { transactions_cross("{}"); }
TEST_CASE("a plugin of this process and one in a separate process build one transaction") {
  transactions_cross("{isolation: process}");
}
