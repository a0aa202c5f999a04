#pragma once

#include <patchbay/store.h>
#include <patchbay/strand.h>

#include "round.h"

namespace reference {

// Commits one transaction with every kind of operation; then completes its job, acknowledges its event and
// reads its row.
class StoreStep final : public Step {
 public:
  explicit StoreStep(const Host& host) : host_(host) {}

  void run(Next next) override {
    next_ = std::move(next);
    add_ = patchbay::Statement::find(host_, "add");
    rename_ = patchbay::Statement::find(host_, "rename");
    find_ = patchbay::Statement::find(host_, "find");
    const Status sealed = seal_and_unseal();
    if (!sealed) return next_(sealed);
    const int64_t epoch = host_.store->epoch(host_.self);
    if (epoch <= 0) return next_({Code::failed, "this start has no epoch"});
    body_ = "note of start " + std::to_string(epoch);
    worker_ = std::make_unique<patchbay::JobWorker>(host_, "remind", 1, 60'000,
                                                    [this](const patchbay::Job& job) { work(job); });
    consumer_ = std::make_unique<patchbay::Consumer>(host_, "digest", "reference.noted other.*",
                                                     [this] { digest(); });
    if (!consumer_->ok()) return next_({Code::failed, "no consumer"});
    commit();
  }

 private:
  Status seal_and_unseal() const {
    PB_TRY_VALUE(const std::string sealed, patchbay::seal(host_, "plain", "table/1"));
    REFERENCE_EXPECT(sealed.find("plain") == std::string::npos);
    PB_TRY_VALUE(const std::string plain, patchbay::unseal(host_, sealed, "table/1"));
    REFERENCE_EXPECT(plain == "plain");
    REFERENCE_EXPECT(!patchbay::unseal(host_, sealed, "table/2").ok());
    REFERENCE_EXPECT(!patchbay::from_abi(host_.store->data_folder(host_.self)).empty());
    return {};
  }

  void commit() {
    {
      patchbay::Transaction dropped(host_);  // discarded
      dropped.exec(add_, {"never", nullptr}, 1);
    }
    patchbay::Transaction tx(host_);
    const size_t added = tx.exec(add_, {body_, patchbay::Value::bytes("\1\2")}, 1);
    tx.savepoint();
    tx.exec(rename_, {"there is no such note", "x"}, 1);
    tx.release();
    tx.emit({"reference.noted", "localhost", "note", "round-1", R"({"n":2})"}, body_);
    tx.job_add("remind", "localhost", "soon", host_.wall_ms(), "wake up");
    tx.job_add("remind", "localhost", "never", host_.wall_ms() + 3'600'000, "too late");
    tx.job_cancel("remind", "never");
    std::move(tx).commit([this, added](const patchbay::Commit& outcome) {
      if (!outcome) return next_(outcome.error());
      const patchbay::Rows rows = outcome.result(added);
      if (rows.size() != 1 || rows.text(0, 1) != body_) return next_({Code::failed, "no row came back"});
      if (outcome.savepoint_ok(0)) return next_({Code::failed, "a failed group is reported as successful"});
      committed_ = true;
      go_on();
    });
  }

  // Retries the job once, then completes it.
  void work(const patchbay::Job& job) {
    if (job.body != "wake up" || job.key != "soon")
      return next_({Code::failed, "a job lost its body or key"});
    const bool first = !retried_;
    retried_ = true;
    patchbay::Transaction tx(host_);
    if (first) {
      tx.job_retry(job.id, job.fence, host_.wall_ms());
    } else {
      tx.job_done(job.id, job.fence);
    }
    std::move(tx).commit([this, first](const patchbay::Commit& outcome) {
      if (!outcome) return next_(outcome.error());
      worked_ = !first;
      go_on();
    });
  }

  // May be woken again while it runs: must not acknowledge twice, nor miss events in between.
  void digest() {
    woken_ = true;
    if (digesting_) return;
    digesting_ = true;
    woken_ = false;
    consumer_->pending(10, [this](patchbay::Result<std::vector<patchbay::Event>> events) {
      if (!events) return next_(events.error());
      digesting_ = !events->empty();
      if (!digesting_) return woken_ ? digest() : void();
      patchbay::Transaction tx(host_);
      for (const patchbay::Event& event : *events) tx.ack("digest", event.id());
      const bool whole = events->front().payload() == R"({"n":2})" && events->front().id() > 0;
      std::move(tx).commit([this, whole](const patchbay::Commit& outcome) {
        if (!outcome) return next_(outcome.error());
        if (!whole) return next_({Code::failed, "an emitted event lost its payload"});
        digested_ = true;
        go_on();
      });
    });
  }

  void go_on() {
    if (!committed_ || !worked_ || !digested_ || over_) return;
    over_ = true;
    worker_.reset();
    consumer_.reset();
    patchbay::query(host_, find_, {body_}, [this](patchbay::Result<patchbay::Rows> rows) {
      if (!rows) return next_(rows.error());
      const Status same =
          expect(rows->size() == 1 && rows->text(0, 0) == body_, "a row is read as it was written");
      if (!same) return next_(same);
      read_json();
    });
  }
  void read_json() {
    if (!PB_HAS(host_.store, query_json)) return read_log();  // an older host
    patchbay::query_json(host_, find_, {body_}, "body", [this](patchbay::Result<patchbay::JsonRows> rows) {
      if (!rows) return next_(rows.error());
      const std::string json = "[{\"body\":\"" + body_ + "\"}]";
      const Status same = expect(rows->count == 1 && rows->text.view() == json, "a row is read as JSON");
      if (!same) return next_(same);
      read_log();
    });
  }
  void read_log() {
    if (!PB_HAS(host_.store, read_log)) return next_({});
    patchbay::read_log(host_, "localhost", 0, 1000, [this](patchbay::Result<patchbay::EventLog> log) {
      if (!log) return next_(log.error());
      const auto& events = log->events;
      next_(expect(!events.empty() && events[0].tenant_seq() == 1 && log->oldest == 0 &&
                       log->newest >= events.back().tenant_seq(),
                   "the log has the emitted event"));
    });
  }

  const Host& host_;
  patchbay::Statement add_, rename_, find_;
  std::string body_;
  std::unique_ptr<patchbay::JobWorker> worker_;
  std::unique_ptr<patchbay::Consumer> consumer_;
  bool committed_ = false, retried_ = false, worked_ = false, digesting_ = false, woken_ = false,
       digested_ = false, over_ = false;
  Next next_;
};

}  // namespace reference
