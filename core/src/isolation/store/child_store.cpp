#include <string>

#include "abi/text.h"
#include "isolation/child_host.h"
#include "isolation/store/store_wire.h"
#include "runtime/thread_kind.h"

namespace patchbay::core::isolation {
namespace {

constexpr char kTooLarge[] = "too large for a plugin in a process of its own";

ChildHost& host_of() { return ChildHost::get(); }
Encoder operation(Operation kind) {
  Encoder out;
  out.u32(static_cast<uint32_t>(kind));
  return out;
}
int32_t add(uint64_t tx, const Encoder& what) { return host_of().transactions().add(tx, what); }

class Worker final : public Listening {
 public:
  Worker(Ref<Strand> strand, pb_job_fn fn, void* user) : Listening(std::move(strand)), fn_(fn), user_(user) {}

 private:
  void run(Decoder& in) override {
    in.u64();
    const pb_job job = get_job(in);
    const CallbackScope what("job", from_abi(job.kind));
    if (in.ok()) fn_(user_, &job);
  }
  const pb_job_fn fn_;
  void* const user_;
};

class Woken final : public Listening {
 public:
  Woken(Ref<Strand> strand, pb_fn wake, void* user)
      : Listening(std::move(strand)), wake_(wake), user_(user) {}

 private:
  void run(Decoder&) override {
    const CallbackScope what("consumer");
    wake_(user_);
  }
  const pb_fn wake_;
  void* const user_;
};

uint64_t statement(void*, pb_str name) noexcept {
  Encoder out;
  return host_of().request(Kind::statement, out.str(from_abi(name)).frame(), nullptr);
}

void query(void*, uint64_t statement, const pb_value* values, uint32_t count, uint64_t strand, pb_rows_fn fn,
           void* user) noexcept {
  const uint64_t number = host_of().expect(strand, [fn, user](Decoder& in) {
    const auto status = static_cast<int32_t>(in.u32());
    const std::string_view text = in.str();
    const ReadRows rows(in);
    pb_err err = empty_error();
    if (status != PB_OK) write_error(&err, static_cast<Code>(status), text);
    fn(user, status, status == PB_OK ? rows.get() : nullptr, status == PB_OK ? nullptr : &err);
  });
  Encoder out(Kind::read);
  out.u64(number).u64(statement);
  put_values(out, values, count);
  Encoder refusal(Kind::rows);
  host_of().question(out,
                     refusal.u64(number).u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).str(kTooLarge).u32(0));
}

uint64_t begin(void*) noexcept { return host_of().transactions().begin(); }

int32_t exec(void*, uint64_t tx, uint64_t statement, const pb_value* values, uint32_t count,
             int64_t expected_changes) noexcept {
  Encoder out = operation(Operation::exec);
  out.u64(statement).i64(expected_changes);
  put_values(out, values, count);
  return add(tx, out);
}
int32_t savepoint(void*, uint64_t tx) noexcept { return add(tx, operation(Operation::savepoint)); }
int32_t release(void*, uint64_t tx) noexcept { return add(tx, operation(Operation::release)); }
int32_t emit(void*, uint64_t tx, const pb_event* event, pb_str unique_key) noexcept {
  Encoder out = operation(Operation::emit);
  put_event(out, *event);
  return add(tx, out.str(from_abi(unique_key)));
}
int32_t job_add(void*, uint64_t tx, pb_str kind, pb_str tenant, pb_str key, int64_t due_ms,
                pb_str body) noexcept {
  Encoder out = operation(Operation::job_add);
  out.str(from_abi(kind)).str(from_abi(tenant)).str(from_abi(key));
  return add(tx, out.i64(due_ms).str(from_abi(body)));
}
int32_t job_done(void*, uint64_t tx, int64_t job, int64_t fence) noexcept {
  Encoder out = operation(Operation::job_done);
  return add(tx, out.i64(job).i64(fence));
}
int32_t job_retry(void*, uint64_t tx, int64_t job, int64_t fence, int64_t due_ms) noexcept {
  Encoder out = operation(Operation::job_retry);
  return add(tx, out.i64(job).i64(fence).i64(due_ms));
}
int32_t job_cancel(void*, uint64_t tx, pb_str kind, pb_str key) noexcept {
  Encoder out = operation(Operation::job_cancel);
  return add(tx, out.str(from_abi(kind)).str(from_abi(key)));
}
int32_t ack(void*, uint64_t tx, pb_str consumer, int64_t event_id) noexcept {
  Encoder out = operation(Operation::ack);
  return add(tx, out.str(from_abi(consumer)).i64(event_id));
}

Encoder outcome_of(uint64_t number, int32_t status, std::string_view text) {
  pb_commit outcome{};
  outcome.size = sizeof outcome;
  outcome.status = status;
  outcome.failed_operation = -1;
  outcome.text = to_abi(text);
  Encoder out(Kind::committed);
  out.u64(number);
  put_outcome(out, outcome);
  return out;
}

void commit(void*, uint64_t tx, uint64_t strand, pb_commit_fn fn, void* user) noexcept {
  const uint64_t number = host_of().expect(strand, [fn, user](Decoder& in) {
    const ReadOutcome outcome(in);
    fn(user, outcome.get());
  });
  bool sent = false;
  if (!host_of().transactions().commit(tx, number, sent))
    return host_of().refuse(outcome_of(number, PB_E_GONE, "the transaction has ended"));
  if (!sent) host_of().refuse(outcome_of(number, PB_E_EXHAUSTED, kTooLarge));
}

void discard(void*, uint64_t tx) noexcept { host_of().transactions().discard(tx); }

uint64_t job_worker(void*, pb_str kind, uint32_t concurrency, int64_t lease_ms, uint64_t strand_handle,
                    pb_job_fn fn, void* user) noexcept {
  auto strand = host_of().context().strand(strand_handle);
  if (!strand) return 0;
  const uint64_t tag = host_of().next_tag();
  Encoder out;
  out.u64(tag).str(from_abi(kind)).u32(concurrency).i64(lease_ms);
  return host_of().listen(make_ref<Worker>(std::move(strand), fn, user), tag, Kind::job_worker, out.frame(),
                          nullptr);
}

uint64_t consumer(void*, pb_str name, pb_str patterns, uint64_t strand_handle, pb_fn wake, void* user,
                  pb_err* err) noexcept {
  auto strand = host_of().context().strand(strand_handle);
  if (!strand) {
    write_error(err, Code::misuse, "a consumer needs a live strand and a pattern");
    return 0;
  }
  const uint64_t tag = host_of().next_tag();
  Encoder out;
  out.u64(tag).str(from_abi(name)).str(from_abi(patterns));
  return host_of().listen(make_ref<Woken>(std::move(strand), wake, user), tag, Kind::consumer, out.frame(),
                          err);
}

void close(void*, uint64_t what, pb_fn done, void* user) noexcept { host_of().unlisten(what, done, user); }

void pending(void*, uint64_t consumer, uint32_t limit, uint64_t strand, pb_events_fn fn,
             void* user) noexcept {
  const uint64_t tag = host_of().tag_of(consumer);
  if (tag == 0) return fn(user, PB_E_GONE, nullptr, 0);
  const uint64_t number = host_of().expect(strand, [fn, user](Decoder& in) {
    const auto status = static_cast<int32_t>(in.u32());
    std::vector<pb_event> events;
    for (uint32_t left = in.u32(); left > 0 && in.ok(); --left) events.push_back(get_event(in));
    std::vector<const pb_event*> pointers;
    for (const pb_event& event : events) pointers.push_back(&event);
    fn(user, status, pointers.data(), static_cast<uint32_t>(pointers.size()));
  });
  host_of().send(Encoder(Kind::pending).u64(number).u64(tag).u32(std::min(limit, 10000u)));
}

int64_t epoch(void*) noexcept { return host_of().epoch(); }

pb_buf* sealing(Kind kind, pb_str text, pb_str context) {
  Encoder out;
  const auto answer = host_of().ask(kind, out.str(from_abi(text)).str(from_abi(context)).frame());
  return answer.value != 0 ? make_buffer(answer.text) : nullptr;
}
pb_buf* seal(void*, pb_str plain, pb_str context) noexcept { return sealing(Kind::seal, plain, context); }
pb_buf* unseal(void*, pb_str sealed, pb_str context) noexcept {
  return sealing(Kind::unseal, sealed, context);
}
pb_str data_folder(void*) noexcept { return to_abi(host_of().context().data_folder()); }

constexpr pb_store kTable{
    sizeof(pb_store), 0,         &statement, &query,      &begin, &exec,   &savepoint,  &release,    &emit,
    &job_add,         &job_done, &job_retry, &job_cancel, &ack,   &commit, &discard,    &job_worker, &close,
    &consumer,        &close,    &pending,   &epoch,      &seal,  &unseal, &data_folder};

}  // namespace

const pb_store& child_store() noexcept { return kTable; }

}  // namespace patchbay::core::isolation
