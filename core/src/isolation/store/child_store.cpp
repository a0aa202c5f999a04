#include <string>

#include "abi/text.h"
#include "isolation/child_relay.h"
#include "isolation/store/operations.h"
#include "isolation/store/store_wire.h"

namespace patchbay::core::isolation {
namespace {

constexpr char kTooLarge[] = "too large for a plugin in a process of its own";

ChildHost& host_of() { return ChildHost::get(); }
int32_t add(uint64_t tx, const Encoder& operation) { return host_of().transactions().add(tx, operation); }

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
  return host_of().listen(relay(std::move(strand), "job", fn, user), tag, Kind::job_worker, out.frame(),
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
  return host_of().listen(relay(std::move(strand), "consumer", wake, user), tag, Kind::consumer, out.frame(),
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

constexpr pb_store kTable = [] {
  pb_store table{};
  table.size = sizeof table;
  table.statement = &statement;
  table.query = &query;
  table.begin = &begin;
  table.commit = &commit;
  table.discard = &discard;
  table.job_worker = &job_worker;
  table.job_worker_close = &close;
  table.consumer = &consumer;
  table.consumer_close = &close;
  table.pending = &pending;
  table.epoch = &epoch;
  table.seal = &seal;
  table.unseal = &unseal;
  table.data_folder = &data_folder;
  return with_operations<&add>(table);
}();

}  // namespace

const pb_store& child_store() noexcept { return kTable; }

}  // namespace patchbay::core::isolation
