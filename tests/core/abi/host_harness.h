// The parts of a host, and what two plugins see of it, without the plugins: their tables are called directly.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/abi/store.h>
#include <patchbay/str.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "abi/host_context.h"
#include "abi/subsystems.h"
#include "core/store/fixture.h"

namespace abi_test {

using namespace store_test;

inline constexpr const char* kTableSql = R"(
-- migration: 1
CREATE TABLE one_t (id BIGINT PRIMARY KEY, body TEXT NOT NULL);
-- name: add
INSERT INTO one_t (id, body) VALUES ($1, $2);
-- name: count
-- read
SELECT COUNT(*) FROM one_t;
)";

// The outcome of a commit.
struct Committed {
  int32_t status = PB_E_TIMEOUT;
  std::string text;
};

struct HostHarness {
  explicit HostHarness(StoreOptions store_options = {}, HostObserver* observer = nullptr) {
    Subsystems::Options options;
    options.log = {observe::Format::text, observe::Level::info, log_file().string()};
    options.runtime.executor.threads = 2;
    options.runtime.manual = &clock;
    options.data_folder = dir.path;
    options.observer = observer;
    subsystems = *Subsystems::create(std::move(options));
    store_options.postgres = test::test_store(dir.path / "store.db");
    REQUIRE(subsystems->open_store(dir.path / "store.db", std::move(store_options)).ok());
    REQUIRE(store().register_owner("one", kTableSql).ok());
    one.emplace(services(), "one");
    other.emplace(services(), "other");
  }
  ~HostHarness() {
    one->release_all();
    other->release_all();
    services().runtime.wait_idle(std::chrono::seconds(60));
    store().close();
  }

  HostServices& services() const { return subsystems->services(); }
  Store& store() const { return *subsystems->store(); }
  std::filesystem::path log_file() const { return dir.path / "log"; }
  std::string log_text() const {
    services().log.flush();  // lines are written by a thread of the log
    std::ifstream in(log_file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const pb_store& table() const { return store_table(); }
  uint64_t statement(const char* name) { return table().statement(&*one, to_abi(name)); }

  int32_t add(uint64_t tx, int64_t id, const std::string& body = "x") {
    const pb_value values[] = {{PB_VALUE_INT, 0, id, 0, {}}, {PB_VALUE_TEXT, 0, 0, 0, to_abi(body)}};
    return table().exec(&*one, tx, statement("add"), values, 2, 1);
  }
  Committed commit(HostContext& context, uint64_t tx) {
    return wait_for<Committed>(
        [&](auto done) {
          auto* held = new std::function<void(Committed)>(done);
          table().commit(
              &context, tx, 0,
              [](void* user, const pb_commit* outcome) noexcept {
                const std::unique_ptr<std::function<void(Committed)>> told(
                    static_cast<std::function<void(Committed)>*>(user));
                (*told)({outcome->status, std::string(from_abi(outcome->text))});
              },
              held);
        },
        Committed{});
  }
  int64_t count() { return query(store(), *store().statement("one", "count"))->integer(0, 0); }

  TempDir dir;
  ManualClock clock;
  std::unique_ptr<Subsystems> subsystems;
  std::optional<HostContext> one, other;
};

// Waits until it holds, 60 s at most.
template <class F>
bool eventually(F holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

}  // namespace abi_test
