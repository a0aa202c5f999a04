#include "isolation/store/session_store.h"

#include <utility>

#include "isolation/relay.h"
#include "isolation/store/operations.h"
#include "isolation/store/store_wire.h"

namespace patchbay::core::isolation {
namespace {

constexpr uint32_t kMostPending = 10000;
constexpr char kUnderWay[] = "reads and commits under way";
constexpr char kTooLarge[] = "the answer is too large for a plugin in a process of its own";

}  // namespace

using Worker = RelayToChild<Kind::job, HandleKind::job_worker, pb_job_fn>;
using Consumer = RelayToChild<Kind::wake, HandleKind::consumer, pb_fn>;

// A question of the child to the store, until it is answered.
struct SessionStore::Asked {
  std::shared_ptr<Link> link;
  Load::Share share;
  uint64_t number;

  Encoder head(Kind kind) const {
    Encoder out(kind);
    out.u64(number);
    return out;
  }
};

SessionStore::Asked* SessionStore::ask(uint64_t number, Load::Share share) {
  return new Asked{link_, std::move(share), number};
}

bool SessionStore::statement(Decoder& in) {
  const uint64_t seq = in.u64();
  const pb_str name = to_abi(in.str());
  if (!in.whole()) return false;
  link_->answer(seq, link_->host().store->statement(link_->self(), name));
  return true;
}

bool SessionStore::read(Decoder& in) {
  const uint64_t number = in.u64();
  const uint64_t statement = in.u64();
  const size_t bytes = in.left();
  const auto values = get_values(in);
  if (!in.whole()) return false;
  auto share = Load::take(under_way_, bytes);
  if (!share) {
    link_->too_many(kUnderWay);
    Encoder none(Kind::rows);
    return link_->send(none.u64(number).u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).str(kUnderWay).u32(0));
  }
  link_->host().store->query(
      link_->self(), statement, values.data(), static_cast<uint32_t>(values.size()), kMainStrand,
      [](void* user, int32_t status, const pb_rows* rows, const pb_err* err) noexcept {
        const std::unique_ptr<Asked> asked(static_cast<Asked*>(user));
        if (!asked->link->is_open()) return;
        Encoder out = asked->head(Kind::rows);
        out.u32(static_cast<uint32_t>(status)).str(err != nullptr ? err->text : "");
        put_rows(out, rows);
        if (asked->link->send(out)) return;
        Encoder none = asked->head(Kind::rows);
        asked->link->send(none.u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).str(kTooLarge).u32(0));
      },
      ask(number, *std::move(share)));
  return true;
}

uint64_t SessionStore::known(uint64_t tx) const {
  if ((tx & kMadeByChild) == 0) return link_->is_lent(tx) ? tx : 0;
  const auto at = link_->transactions.find(tx);
  return at == link_->transactions.end() ? 0 : at->second;
}

bool SessionStore::share(Decoder& in) {
  const uint64_t number = in.u64();
  auto& shared = link_->transactions;
  if (!in.ok() || (number & kMadeByChild) == 0 || shared.count(number) != 0) return false;
  if (shared.size() >= kMostShared) {
    link_->too_many("open transactions");  // its name means nothing then, and its commit fails
    return true;
  }
  const uint64_t tx = link_->host().store->begin(link_->self());
  shared[number] = tx;
  return add_to(tx, in);
}

// Its owner may have ended it meanwhile: then the operations reach nothing.
bool SessionStore::add(Decoder& in) {
  const uint64_t tx = known(in.u64());
  return add_to(tx, in);
}

bool SessionStore::add_to(uint64_t tx, Decoder& in) {
  const size_t bytes = in.left();
  if (all_open_bytes_ + bytes > kMostOpenBytes) forget_ended();
  if (all_open_bytes_ + bytes > kMostOpenBytes) {
    link_->too_many("bytes in open transactions");
    link_->host().store->discard(link_->self(), tx);
    return in.ok();
  }
  open_bytes_[tx] += bytes;
  all_open_bytes_ += bytes;
  return run_operations(in, *link_->host().store, link_->self(), tx);
}

void SessionStore::forget_ended() {
  for (auto at = open_bytes_.begin(); at != open_bytes_.end();) {
    if (link_->is_open_transaction(at->first)) {
      ++at;
      continue;
    }
    all_open_bytes_ -= at->second;
    at = open_bytes_.erase(at);
  }
}

bool SessionStore::discard(Decoder& in) {
  const uint64_t number = in.u64();
  const auto at = link_->transactions.find(number);
  if (at == link_->transactions.end()) return in.whole();
  link_->host().store->discard(link_->self(), at->second);
  link_->transactions.erase(at);
  return in.whole();
}

bool SessionStore::commit(Decoder& in) {
  const uint64_t number = in.u64();
  const uint64_t name = in.u64();
  if (!in.ok()) return false;
  const pb_store& store = *link_->host().store;
  auto share = Load::take(under_way_, in.left());
  uint64_t tx = 0;  // its commit is answered "gone"
  if (const auto at = link_->transactions.find(name); at != link_->transactions.end()) {
    tx = at->second;
    link_->transactions.erase(at);
  }
  if (!share) {
    if (tx != 0) store.discard(link_->self(), tx);
    link_->too_many(kUnderWay);
    pb_commit outcome{};
    outcome.size = sizeof outcome;
    outcome.status = PB_E_EXHAUSTED;
    outcome.failed_operation = -1;
    outcome.text = to_abi(kUnderWay);
    Encoder refused(Kind::committed);
    put_outcome(refused.u64(number), outcome);
    return link_->send(refused);
  }
  if (name == 0) tx = store.begin(link_->self());
  if (!run_operations(in, store, link_->self(), tx)) {
    store.discard(link_->self(), tx);
    return false;
  }
  store.commit(
      link_->self(), tx, kMainStrand,
      [](void* user, const pb_commit* outcome) noexcept {
        const std::unique_ptr<Asked> asked(static_cast<Asked*>(user));
        if (!asked->link->is_open()) return;
        Encoder out = asked->head(Kind::committed);
        put_outcome(out, *outcome);
        if (asked->link->send(out)) return;
        // It is on disk: only what it returned cannot be told.
        pb_commit bare = *outcome;
        bare.result_count = 0;
        Encoder told = asked->head(Kind::committed);
        put_outcome(told, bare);
        asked->link->send(told);
      },
      ask(number, *std::move(share)));
  return true;
}

bool SessionStore::job_worker(Decoder& in) {
  const uint64_t seq = in.u64();
  const uint64_t tag = in.u64();
  const pb_str kind = to_abi(in.str());
  const uint32_t concurrency = in.u32();
  const int64_t lease_ms = in.i64();
  if (!in.whole() || held_.is_used(tag)) return false;
  if (held_.is_full()) return link_->refuse(seq, "job workers");
  auto worker = std::make_unique<Worker>(link_, tag);
  worker->handle = link_->host().store->job_worker(link_->self(), kind, concurrency, lease_ms, kMainStrand,
                                                   &Worker::call, worker.get());
  link_->answer(seq, worker->handle);
  held_.add(tag, std::move(worker));
  return true;
}

bool SessionStore::consumer(Decoder& in) {
  const uint64_t seq = in.u64();
  const uint64_t tag = in.u64();
  const pb_str name = to_abi(in.str());
  const pb_str patterns = to_abi(in.str());
  if (!in.whole() || held_.is_used(tag)) return false;
  if (held_.is_full()) return link_->refuse(seq, "consumers");
  auto consumer = std::make_unique<Consumer>(link_, tag);
  pb_err err = empty_error();
  consumer->handle = link_->host().store->consumer(link_->self(), name, patterns, kMainStrand,
                                                   &Consumer::call, consumer.get(), &err);
  link_->answer(seq, consumer->handle, err);
  held_.add(tag, std::move(consumer));
  return true;
}

bool SessionStore::pending(Decoder& in) {
  const uint64_t number = in.u64();
  const uint64_t tag = in.u64();
  const uint32_t limit = in.u32();
  if (!in.whole() || limit > kMostPending) return false;
  auto share = Load::take(under_way_, 0);
  if (!share) {
    link_->too_many(kUnderWay);
    return link_->send(Encoder(Kind::events).u64(number).u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).u32(0));
  }
  const auto* consumer = dynamic_cast<const Consumer*>(held_.find(tag));
  link_->host().store->pending(
      link_->self(), consumer != nullptr ? consumer->handle : 0, limit, kMainStrand,
      [](void* user, int32_t status, const pb_event* const* events, uint32_t count) noexcept {
        const std::unique_ptr<Asked> asked(static_cast<Asked*>(user));
        if (!asked->link->is_open()) return;
        Encoder out = asked->head(Kind::events);
        out.u32(static_cast<uint32_t>(status)).u32(count);
        for (uint32_t i = 0; i < count; ++i) put_event(out, *events[i]);
        if (asked->link->send(out)) return;
        Encoder none = asked->head(Kind::events);
        asked->link->send(none.u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).u32(0));
      },
      ask(number, *std::move(share)));
  return true;
}

bool SessionStore::seal(Kind kind, Decoder& in) {
  const uint64_t seq = in.u64();
  const pb_str text = to_abi(in.str());
  const pb_str context = to_abi(in.str());
  if (!in.whole()) return false;
  const pb_store& store = *link_->host().store;
  const Buffer made = Buffer::adopt(kind == Kind::seal ? store.seal(link_->self(), text, context)
                                                       : store.unseal(link_->self(), text, context));
  link_->answer(seq, made.get() != nullptr ? 1 : 0, PB_OK, made.view());
  return true;
}

void SessionStore::end() {
  for (const auto& [number, tx] : std::exchange(link_->transactions, {}))
    link_->host().store->discard(link_->self(), tx);
}

}  // namespace patchbay::core::isolation
