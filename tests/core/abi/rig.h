// The parts of a host, and what two plugins see of it, without the plugins: their tables are called directly.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/abi/store.h>
#include <patchbay/str.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "abi/host_context.h"
#include "abi/media_hub.h"
#include "abi/store_hub.h"
#include "core/store/fixture.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "runtime/runtime.h"
#include "services/service_registry.h"

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

// What a commit came to.
struct Committed {
  int32_t status = PB_E_TIMEOUT;
  std::string text;
};

struct Rig {
  explicit Rig(StoreOptions options = {}) {
    RuntimeOptions runtime_options;
    runtime_options.executor.threads = 2;
    runtime_options.manual = &clock;
    runtime = *Runtime::create(runtime_options);
    bus.emplace(runtime->wall_clock(), runtime->mono_clock());
    hub.emplace(*bus);
    media.emplace(runtime->media());
    log = *observe::Log::open({observe::Format::text, observe::Level::info, log_file().string()});
    options.now_ms = [this] { return clock.now_ms(); };
    options.on_committed = [this](CommitNotice&& what) { hub->announced(std::move(what)); };
    store = *Store::open(dir.path / "store.db", std::move(options));
    hub->attach(*store);
    REQUIRE(store->register_owner("one", kTableSql).ok());
    parts.emplace(HostParts{*runtime, *bus, *hub, services, *media, *log, metrics, dir.path,
                            [](std::string_view) { return std::string(); }});
    one.emplace(*parts, "one");
    other.emplace(*parts, "other");
  }
  ~Rig() {
    one->end_leftovers();
    other->end_leftovers();
    runtime->wait_idle(std::chrono::seconds(30));
    store->close();
  }

  std::filesystem::path log_file() const { return dir.path / "log"; }
  std::string log_text() const {
    log->flush();  // lines are written by a thread of the log
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
  int64_t count() { return query(*store, *store->statement("one", "count"))->integer(0, 0); }

  TempDir dir;
  ManualClock clock;
  observe::Metrics metrics;
  ServiceRegistry services;
  std::unique_ptr<observe::Log> log;
  std::unique_ptr<Runtime> runtime;
  std::optional<Bus> bus;
  std::optional<StoreHub> hub;
  std::optional<MediaHub> media;
  std::unique_ptr<Store> store;
  std::optional<HostParts> parts;
  std::optional<HostContext> one, other;
};

// Waits until it holds, 60 s at most.
template <class F>
bool eventually(F holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

}  // namespace abi_test
