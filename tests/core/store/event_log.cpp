#include "core/store/fixture.h"

using namespace store_test;

TEST_CASE("topics match exactly, below a prefix, or all") {
  CHECK(topic_matches("*", "call.started"));
  CHECK(topic_matches("call.started", "call.started"));
  CHECK_FALSE(topic_matches("call.started", "call.starte"));
  CHECK(topic_matches("call.*", "call.started"));
  CHECK(topic_matches("call.*", "call.leg.added"));
  CHECK_FALSE(topic_matches("call.*", "call"));
  CHECK_FALSE(topic_matches("call.*", "call."));
  CHECK_FALSE(topic_matches("call.*", "caller.x"));
  CHECK(is_topic_pattern("a.b.*"));
  for (const char* bad : {"", "**", "a*", ".*", "*.a", "a.*.b", "a b"}) CHECK_FALSE(is_topic_pattern(bad));
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
  auto second = read_log(*notes.store, "t2");
  REQUIRE(second.size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(second[i].tenant_seq == static_cast<int64_t>(i) + 1);
    CHECK(second[i].subject == std::to_string(i));
    CHECK(second[i].ts_ms == notes.now_ms);
    CHECK((second[i].id >> 20) == notes.now_ms);
  }
  CHECK(read_log(*notes.store, "t2", second[2].id, 1).at(0).tenant_seq == 4);
  CHECK(second[0].correlation == "corr");
  CHECK(second[0].payload == "{\"n\":1}");
}

TEST_CASE("an event's unique key happens once") {
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

TEST_CASE("a durable consumer gets what it wants, once, over a restart") {
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
  notes.store = *Store::open(notes.dir.path / "store.db", {});
  CHECK(pending(*notes.store, "hooks").size() == 2);
  REQUIRE(commit(*notes.store, one(event("call.c", "c"))).status.ok());
  CHECK(pending(*notes.store, "hooks").size() == 3);
}

TEST_CASE("a consumer's patterns can change and it can be forgotten") {
  Notes notes;
  CHECK(add_consumer(*notes.store, "c", {"a*"}).error().code == Code::invalid);
  CHECK(add_consumer(*notes.store, "", {"a"}).error().code == Code::invalid);
  REQUIRE(add_consumer(*notes.store, "c", {"a"}).ok());
  REQUIRE(add_consumer(*notes.store, "c", {"b"}).ok());
  REQUIRE(commit(*notes.store, one(event("a", "s"))).status.ok());
  REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  CHECK(pending(*notes.store, "c").size() == 1);
  CHECK(wait_for<Status>([&](auto done) { notes.store->forget_consumer("c", done); }, Error{}).ok());
  CHECK(pending(*notes.store, "c").empty());
  REQUIRE(commit(*notes.store, one(event("b", "s"))).status.ok());
  CHECK(pending(*notes.store, "c").empty());
}

TEST_CASE("pruning spares the young and the pending") {
  Notes notes;
  REQUIRE(add_consumer(*notes.store, "c", {"kept"}).ok());
  for (const char* topic : {"old", "kept", "old"})
    REQUIRE(commit(*notes.store, one(event(topic, "s"))).status.ok());
  notes.now_ms += 1000;
  REQUIRE(commit(*notes.store, one(event("young", "s"))).status.ok());
  auto prune = [&](int64_t limit) {
    return *wait_for<Result<int64_t>>([&](auto done) { notes.store->prune(notes.now_ms, limit, done); },
                                      Error{});
  };
  CHECK(prune(1) == 1);
  CHECK(prune(100) == 1);
  auto left = read_log(*notes.store);
  REQUIRE(left.size() == 2);
  CHECK(left[0].topic == "kept");
  REQUIRE(commit(*notes.store, one(AckOp{"c", left[0].id})).status.ok());
  CHECK(prune(100) == 1);
}

TEST_CASE("the commit hook gets what was committed, after the commit is known") {
  std::mutex mutex;
  std::vector<std::string> seen;
  std::promise<void> all;
  StoreOptions options;
  options.on_committed = [&](Announcements&& announced) {
    std::lock_guard lock(mutex);
    for (const LoggedEvent& one_event : announced.events) seen.push_back(one_event.topic);
    for (const JobNotice& job : announced.jobs) seen.push_back(job.kind + "@" + std::to_string(job.due_ms));
    if (seen.back() == "last@9") all.set_value();
  };
  Notes notes(std::move(options));
  Transaction bad = one(event("never", "s"));
  bad.exec(notes.id("edit"), {1, 1, "x"}, 1);
  CHECK_FALSE(commit(*notes.store, bad).status.ok());
  CHECK(commit(*notes.store, one(event("first", "s"))).status.ok());
  CHECK(commit(*notes.store, one(JobAddOp{"last", "t", "", 9, ""})).status.ok());
  REQUIRE(all.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  std::lock_guard lock(mutex);
  CHECK(seen == std::vector<std::string>{"first", "last@9"});
}
