#include "abi/open_transaction.h"

#include <doctest/doctest.h>
#include <patchbay/abi/base.h>

#include <atomic>
#include <string>
#include <thread>

using namespace patchbay;
using namespace patchbay::core;

TEST_CASE("a transaction that was taken refuses further operations, and is taken once") {
  OpenTransaction open;
  CHECK(open.add(SavepointOp{}) == PB_OK);
  CHECK(open.add(ExecOp{}) == PB_OK);
  CHECK(open.add(ReleaseOp{}) == PB_OK);
  auto built = open.take();
  REQUIRE(built.has_value());
  CHECK(built->status.ok());
  CHECK(built->data.ops.size() == 3);
  CHECK(built->execs == std::vector<size_t>{1});
  CHECK(built->savepoints == std::vector<size_t>{0});
  CHECK(open.add(ExecOp{}) == PB_E_GONE);
  CHECK(open.refuse({Code::denied, "no"}) == PB_E_GONE);
  CHECK_FALSE(open.take().has_value());
}

TEST_CASE("a transaction that becomes too large is refused as a whole") {
  OpenTransaction open;
  const auto large = [] { return JobAddOp{"k", "t", "", 0, std::string(10 << 20, 'x')}; };
  for (int i = 0; i < 3; ++i) CHECK(open.add(large()) == PB_OK);
  CHECK(open.add(large()) == PB_E_EXHAUSTED);
  CHECK(open.add(ExecOp{}) == PB_E_EXHAUSTED);
  const auto built = open.take();
  CHECK(built->status.error().code == Code::exhausted);
  CHECK(built->data.ops.empty());
}

TEST_CASE("operations added while it is taken are in it or refused") {
  for (int round = 0; round < 200; ++round) {
    OpenTransaction open;
    std::atomic<int> added{0};
    std::atomic<bool> begun{false};
    std::thread adder([&] {
      for (int i = 0; i < 1000; ++i) {
        if (open.add(JobAddOp{"kind", "tenant", "key", 0, std::string(100, 'x')}) == PB_E_GONE) return;
        ++added;
        begun = true;
      }
    });
    while (!begun) std::this_thread::yield();
    const auto built = open.take();
    adder.join();
    CHECK(built->data.ops.size() == static_cast<size_t>(added));
  }
}
