#include "core/store/fixture.h"

using namespace store_test;

namespace {

Status forget(Store& store, const std::string& name) {
  return wait_for<Status>([&](auto done) { store.forget_consumer(name, done); }, Error{Code::timeout, ""});
}

ConsumerPurgeResult purge(Store& store, int64_t unseen_since_ms, int64_t limit) {
  return wait_for<Result<ConsumerPurgeResult>>(
             [&](auto done) { store.purge_consumers(unseen_since_ms, limit, done); },
             Error{Code::timeout, ""})
      .value();
}

std::vector<ConsumerState> consumers(Store& store) {
  return wait_for<Result<std::vector<ConsumerState>>>([&](auto done) { store.consumers(done); },
                                                      Error{Code::timeout, ""})
      .value();
}

PruneResult prune(Store& store, int64_t older_than_ms, int64_t limit, PruneCursor from = {}) {
  return wait_for<Result<PruneResult>>([&](auto done) { store.prune(older_than_ms, from, limit, done); },
                                       Error{Code::timeout, ""})
      .value();
}

}  // namespace

TEST_CASE("an event with an invalid topic is refused") {
  Notes notes;
  for (const char* bad : {"", "a..b", ".x", "a b", "a.*", "a\n"}) {
    const CommitResult refused = commit(*notes.store, one(event(bad, "s")));
    CHECK(refused.status.error().code == Code::invalid);
    CHECK(refused.failed_op == 0);
  }
  CHECK(read_log(*notes.store).empty());
}

TEST_CASE("an event with a payload above 256 KiB is refused by name") {
  Notes notes;
  EmitOp large = event("call.ended", "s");
  large.payload = std::string(kMaxPayloadBytes, 'x');
  CHECK(commit(*notes.store, one(large)).status.ok());
  large.payload += 'x';
  const CommitResult refused = commit(*notes.store, one(large));
  CHECK(refused.status.error().code == Code::invalid);
  CHECK(
      refused.status.error().text ==
      "operation 0 (emit): an event's payload has at most 256 KiB, but that of call.ended has 262145 bytes");
  CHECK(read_log(*notes.store).size() == 1);
}

TEST_CASE("each tenant's events are numbered without gaps, in commit order") {
  Notes notes;
  for (int i = 0; i < 5; ++i) {
    Transaction tx = one(event("a.x", std::to_string(i), "t1"));
    tx.add(event("a.y", std::to_string(i), "t2"));
    REQUIRE(commit(*notes.store, tx).status.ok());
    Transaction bad = one(event("a.x", "undone", "t1"));
    bad.exec(notes.id("edit"), {1, 1, "x"}, 1);
    REQUIRE_FALSE(commit(*notes.store, bad).status.ok());
  }
  auto all = read_log(*notes.store);
  REQUIRE(all.size() == 10);
  for (size_t i = 1; i < all.size(); ++i) CHECK(all[i].id > all[i - 1].id);
  auto second = read_tenant_log(*notes.store, "t2").events;
  REQUIRE(second.size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(second[i].tenant_seq == static_cast<int64_t>(i) + 1);
    CHECK(second[i].subject == std::to_string(i));
    CHECK(second[i].ts_ms == notes.now_ms);
    CHECK((second[i].id >> 20) == notes.now_ms);
  }
  CHECK(read_tenant_log(*notes.store, "t2", 3, 1).events.at(0).tenant_seq == 4);
  CHECK(second[0].correlation == "corr");
  CHECK(second[0].payload == "{\"n\":1}");
}

TEST_CASE("a tenant's log is read by its numbers, and reports what retention has removed") {
  Notes notes;
  TenantLog log = read_tenant_log(*notes.store, "t1");
  CHECK(log.events.empty());
  CHECK(log.oldest == 0);
  CHECK(log.newest == 0);
  REQUIRE(add_consumer(*notes.store, "c", {"b"}).ok());
  for (const char* topic : {"a", "a", "b", "a", "a"}) {
    REQUIRE(commit(*notes.store, one(event(topic, "s", "t2"))).status.ok());
    REQUIRE(commit(*notes.store, one(event(topic, "s", "t1"))).status.ok());
  }
  log = read_tenant_log(*notes.store, "t1", 1, 2);
  REQUIRE(log.events.size() == 2);
  CHECK(log.events[0].tenant_seq == 2);
  CHECK(log.events[1].topic == "b");
  CHECK(log.oldest == 0);
  CHECK(log.newest == 5);
  CHECK(read_tenant_log(*notes.store, "t1", 5).events.empty());
  CHECK(read_tenant_log(*notes.store, "t1", 9).oldest == 0);

  // 3 is kept because it is pending.
  notes.now_ms += 1000;
  REQUIRE(commit(*notes.store, one(event("a", "s", "t1"))).status.ok());
  prune(*notes.store, notes.now_ms, 100);
  log = read_tenant_log(*notes.store, "t1", 1);
  CHECK(log.events.empty());
  CHECK(log.oldest == 2);
  log = read_tenant_log(*notes.store, "t1", 2);
  REQUIRE(log.events.size() == 1);
  CHECK(log.events[0].tenant_seq == 3);
  log = read_tenant_log(*notes.store, "t1", 3);
  CHECK(log.events.empty());
  CHECK(log.oldest == 5);
  CHECK(read_tenant_log(*notes.store, "t1", 5).events.size() == 1);

  notes.now_ms += 1000;
  prune(*notes.store, notes.now_ms, 100);
  log = read_tenant_log(*notes.store, "t1", 5);
  CHECK(log.events.empty());
  CHECK(log.oldest == 6);
  CHECK(log.newest == 6);
}

TEST_CASE("a second event with the same unique key is a conflict") {
  Notes notes;
  Transaction first = notes.add(1);
  first.add(event("call.ended", "c", "t1", "c/1"));
  REQUIRE(commit(*notes.store, first).status.ok());
  Transaction again = notes.add(2);
  again.add(event("call.ended", "c", "t1", "c/1"));
  CommitResult refused = commit(*notes.store, again);
  CHECK(refused.status.error().code == Code::conflict);
  CHECK(refused.failed_op == 1);
  CHECK(notes.count() == 1);
  CHECK(read_log(*notes.store).size() == 1);
}

TEST_CASE("a durable consumer gets matching events once, also after a restart") {
  Notes notes;
  REQUIRE(commit(*notes.store, one(event("call.early", "c"))).status.ok());
  REQUIRE(add_consumer(*notes.store, "hooks", {"call.*", "note.added"}).ok());
  REQUIRE(add_consumer(*notes.store, "all", {"*"}).ok());
  for (const char* topic : {"call.a", "note.other", "note.added", "call.b"}) {
    REQUIRE(commit(*notes.store, one(event(topic, "c"))).status.ok());
  }
  auto waiting = pending(*notes.store, "hooks");
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[0].topic == "call.a");
  CHECK(waiting[2].topic == "call.b");
  CHECK(pending(*notes.store, "all").size() == 4);
  CHECK(pending(*notes.store, "hooks", waiting[1].id).size() == 1);

  Transaction deal = notes.add(1);
  deal.add(AckOp{"hooks", waiting[0].id});
  REQUIRE(commit(*notes.store, deal).status.ok());
  Transaction twice = notes.add(2);
  twice.add(AckOp{"hooks", waiting[0].id});
  CHECK(commit(*notes.store, twice).status.error().code == Code::conflict);
  CHECK(notes.count() == 1);

  notes.store.reset();
  notes.store = *open_store(notes.dir.path / "store.db", {});
  CHECK(pending(*notes.store, "hooks").size() == 2);
  REQUIRE(commit(*notes.store, one(event("call.c", "c"))).status.ok());
  CHECK(pending(*notes.store, "hooks").size() == 3);
}

TEST_CASE("a consumer's patterns can change") {
  Notes notes;
  CHECK(add_consumer(*notes.store, "c", {"a*"}).error().code == Code::invalid);
  CHECK(add_consumer(*notes.store, "", {"a"}).error().code == Code::invalid);
  REQUIRE(add_consumer(*notes.store, "c", {"a"}).ok());
  REQUIRE(add_consumer(*notes.store, "c", {"b"}).ok());
  REQUIRE(commit(*notes.store, one(event("a", "s"))).status.ok());
  REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  CHECK(pending(*notes.store, "c").size() == 1);
}

TEST_CASE("only a consumer that no process has registered can be forgotten") {
  Notes notes;
  REQUIRE(add_consumer(*notes.store, "c", {"b"}).ok());
  REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  CHECK(forget(*notes.store, "c").error().code == Code::conflict);
  CHECK(forget(*notes.store, "none").error().code == Code::not_found);

  notes.reopen();
  CHECK(forget(*notes.store, "c").ok());
  REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  CHECK(pending(*notes.store, "c").size() == 1);  // the earlier event is removed in slices
  CHECK(purge(*notes.store, 0, 100).removed == 1);
  CHECK(pending(*notes.store, "c").empty());
  CHECK(consumers(*notes.store).empty());
}

TEST_CASE("a forgotten consumer that is registered again gets events again") {
  Notes notes;
  REQUIRE(add_consumer(*notes.store, "c", {"b"}).ok());
  notes.reopen();
  REQUIRE(forget(*notes.store, "c").ok());
  REQUIRE(add_consumer(*notes.store, "c", {"b"}).ok());
  REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  CHECK(purge(*notes.store, 0, 100).removed == 0);
  CHECK(pending(*notes.store, "c").size() == 1);
}

TEST_CASE("consumers not registered for long are forgotten slice by slice, live ones never") {
  Notes notes;
  REQUIRE(add_consumer(*notes.store, "gone", {"*"}).ok());
  REQUIRE(add_consumer(*notes.store, "live", {"*"}).ok());
  for (int i = 0; i < 5; ++i) REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  const int64_t begun_ms = notes.now_ms;
  notes.reopen();
  REQUIRE(add_consumer(*notes.store, "live", {"*"}).ok());

  notes.now_ms += 1000;
  auto states = consumers(*notes.store);
  REQUIRE(states.size() == 2);
  CHECK(states[0].name == "gone");
  CHECK(states[0].patterns == "*");
  CHECK(states[0].seen_ms == begun_ms);
  CHECK(states[0].pending == 5);
  CHECK(states[0].oldest_pending_ms == begun_ms);
  CHECK(purge(*notes.store, begun_ms, 2).forgotten.empty());  // registered at that time, so not yet

  auto first = purge(*notes.store, notes.now_ms, 2);
  CHECK(first.forgotten == std::vector<std::string>{"gone"});
  CHECK(first.removed == 2);
  CHECK(first.more);
  CHECK(purge(*notes.store, notes.now_ms, 2).removed == 2);
  auto last = purge(*notes.store, notes.now_ms, 2);
  CHECK(last.removed == 1);
  CHECK_FALSE(last.more);
  states = consumers(*notes.store);
  REQUIRE(states.size() == 1);
  CHECK(states[0].name == "live");
  CHECK(states[0].seen_ms == notes.now_ms);
  CHECK(states[0].pending == 5);
}

TEST_CASE("pruning keeps young and pending events") {
  Notes notes;
  REQUIRE(add_consumer(*notes.store, "c", {"kept"}).ok());
  for (const char* topic : {"old", "kept", "old"})
    REQUIRE(commit(*notes.store, one(event(topic, "s"))).status.ok());
  notes.now_ms += 1000;
  REQUIRE(commit(*notes.store, one(event("young", "s"))).status.ok());
  CHECK(prune(*notes.store, notes.now_ms, 100).removed == 2);
  auto left = read_log(*notes.store);
  REQUIRE(left.size() == 2);
  CHECK(left[0].topic == "kept");
  REQUIRE(commit(*notes.store, one(AckOp{"c", left[0].id})).status.ok());
  CHECK(prune(*notes.store, notes.now_ms, 100).removed == 1);
}

TEST_CASE("a slice of pruning visits a limited number of events, and the next continues after them") {
  Notes notes;
  REQUIRE(add_consumer(*notes.store, "c", {"kept"}).ok());
  for (const char* topic : {"kept", "kept", "old", "kept", "old"})
    REQUIRE(commit(*notes.store, one(event(topic, "s"))).status.ok());
  notes.now_ms += 1000;
  PruneResult slice = prune(*notes.store, notes.now_ms, 2);
  CHECK(slice.removed == 0);
  CHECK(slice.more);
  slice = prune(*notes.store, notes.now_ms, 2, slice.next);
  CHECK(slice.removed == 1);
  CHECK(slice.more);
  slice = prune(*notes.store, notes.now_ms, 2, slice.next);
  CHECK(slice.removed == 1);
  CHECK_FALSE(slice.more);
}

TEST_CASE("events are pruned by their own time, also after the clock was in the future") {
  Notes notes;
  const int64_t now_ms = notes.now_ms;
  notes.now_ms = now_ms + int64_t{20} * 365 * 24 * 3600 * 1000;
  REQUIRE(commit(*notes.store, one(event("future", "s"))).status.ok());
  notes.now_ms = now_ms;
  notes.reopen();
  REQUIRE(commit(*notes.store, one(event("today", "s"))).status.ok());
  CHECK(prune(*notes.store, now_ms + 1, 100).removed == 1);
  REQUIRE(read_log(*notes.store).size() == 1);
  CHECK(read_log(*notes.store)[0].topic == "future");
}

TEST_CASE("on_committed gets the events and jobs of each commit, after its done") {
  std::mutex mutex;
  std::vector<std::string> seen;
  std::promise<void> all;
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    std::lock_guard lock(mutex);
    for (const LoggedEvent& one_event : notice.events) seen.push_back(one_event.topic);
    for (const JobNotice& job : notice.jobs) seen.push_back(job.kind + "@" + std::to_string(job.due_ms));
    if (seen.back() == "last@9") all.set_value();
  };
  Notes notes(std::move(options));
  Transaction bad = one(event("never", "s"));
  bad.exec(notes.id("edit"), {1, 1, "x"}, 1);
  CHECK_FALSE(commit(*notes.store, bad).status.ok());
  CHECK(commit(*notes.store, one(event("first", "s"))).status.ok());
  CHECK(commit(*notes.store, one(JobAddOp{"last", "t", "", 9, ""})).status.ok());
  REQUIRE(all.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  std::lock_guard lock(mutex);
  CHECK(seen == std::vector<std::string>{"first", "last@9"});
}

TEST_CASE("pending events that exceed the result limit are read in parts") {
  StoreOptions options;
  options.max_result_bytes = 100'000;
  Notes notes(std::move(options));
  REQUIRE(add_consumer(*notes.store, "c", {"*"}).ok());
  for (int i = 0; i < 8; ++i) {
    EmitOp large = event("large", std::to_string(i));
    large.payload = std::string(30'000, 'x');
    REQUIRE(commit(*notes.store, one(std::move(large))).status.ok());
  }
  const auto first = pending(*notes.store, "c");
  REQUIRE_FALSE(first.empty());
  CHECK(first.size() < 8);
  CHECK(first[0].subject == "0");
}
