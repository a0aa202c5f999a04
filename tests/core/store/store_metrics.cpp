#include "store/store_metrics.h"

#include <string>

#include "core/store/fixture.h"

using namespace store_test;

namespace {

bool has(const std::string& text, const std::string& line) {
  return text.find(line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("the metrics include the store's") {
  Notes notes;
  RuntimeOptions options;
  auto runtime = *Runtime::create(options);
  observe::Metrics metrics;
  EventRetention retention(*runtime, *notes.store, [](const std::string&) {});
  const StoreMetrics store_metrics(metrics, *notes.store, retention, [&] { return notes.now_ms.load(); });

  REQUIRE(add_consumer(*notes.store, "hooks", {"*"}).ok());
  REQUIRE(commit(*notes.store, one(event("note.added", "s"))).status.ok());
  CHECK_FALSE(commit(*notes.store, one(event("", "s"))).status.ok());
  notes.now_ms += 2500;
  std::string text = metrics.text();
  CHECK(has(text, "patchbay_store_writes_total{result=\"refused\"} 1"));
  CHECK(has(text, "patchbay_store_write_queue_tasks 0"));
  CHECK(text.find("# TYPE patchbay_store_commit_seconds histogram\n") != std::string::npos);
  CHECK(text.find("patchbay_store_group_tasks_bucket{le=\"1\"} ") != std::string::npos);
  CHECK(has(text, "patchbay_store_pruned_events_total 0"));
  CHECK(text.find("patchbay_store_wal_bytes ") != std::string::npos);

  for (int i = 0; i < 6000 && text.find("consumer=") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    text = metrics.text();
  }
  CHECK(has(text, "patchbay_store_pending_events{consumer=\"hooks\"} 1"));
  CHECK(has(text, "patchbay_store_oldest_pending_seconds{consumer=\"hooks\"} 2.5"));
}

TEST_CASE("a closed store still has metrics") {
  Notes notes;
  auto runtime = *Runtime::create({});
  observe::Metrics metrics;
  EventRetention retention(*runtime, *notes.store, [](const std::string&) {});
  const StoreMetrics store_metrics(metrics, *notes.store, retention, [] { return int64_t{0}; });
  notes.store->close();
  for (int i = 0; i < 3; ++i) CHECK(metrics.text().find("patchbay_store_writes_total") != std::string::npos);
}
