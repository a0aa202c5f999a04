// The store is not carried: everything answers that it is not supported, on the strand where an answer is
// due.
#include "child_host.h"

namespace patchbay::isolated {
namespace {

constexpr int32_t kNo = PB_E_UNSUPPORTED;
constexpr char kWhy[] = "a plugin in a child process has no store yet";

template <class F>
void answer(uint64_t strand, F f) {
  core::HostContext& context = ChildHost::get().context();
  context.deliver(context.strand(strand), std::move(f));
}

pb_err why() {
  pb_err err = empty_error();
  write_error(&err, Code::unsupported, kWhy);
  return err;
}

void query(void*, uint64_t, const pb_value*, uint32_t, uint64_t strand, pb_rows_fn fn, void* user) noexcept {
  answer(strand, [fn, user] {
    const pb_err err = why();
    fn(user, kNo, nullptr, &err);
  });
}
void commit(void*, uint64_t, uint64_t strand, pb_commit_fn fn, void* user) noexcept {
  answer(strand, [fn, user] {
    pb_commit outcome{};
    outcome.size = sizeof outcome;
    outcome.status = kNo;
    outcome.failed_operation = -1;
    outcome.text = to_abi(kWhy);
    fn(user, &outcome);
  });
}
void pending(void*, uint64_t, uint32_t, uint64_t strand, pb_events_fn fn, void* user) noexcept {
  answer(strand, [fn, user] { fn(user, kNo, nullptr, 0); });
}
uint64_t consumer(void*, pb_str, pb_str, uint64_t, pb_fn, void*, pb_err* err) noexcept {
  write_error(err, Code::unsupported, kWhy);
  return 0;
}
void close(void*, uint64_t, pb_fn, void*) noexcept {}

constexpr pb_store kTable{
    sizeof(pb_store),
    0,
    [](void*, pb_str) noexcept { return uint64_t{0}; },
    &query,
    [](void*) noexcept { return uint64_t{0}; },
    [](void*, uint64_t, uint64_t, const pb_value*, uint32_t, int64_t) noexcept { return kNo; },
    [](void*, uint64_t) noexcept { return kNo; },
    [](void*, uint64_t) noexcept { return kNo; },
    [](void*, uint64_t, const pb_event*, pb_str) noexcept { return kNo; },
    [](void*, uint64_t, pb_str, pb_str, pb_str, int64_t, pb_str) noexcept { return kNo; },
    [](void*, uint64_t, int64_t, int64_t) noexcept { return kNo; },
    [](void*, uint64_t, int64_t, int64_t, int64_t) noexcept { return kNo; },
    [](void*, uint64_t, pb_str, pb_str) noexcept { return kNo; },
    [](void*, uint64_t, pb_str, int64_t) noexcept { return kNo; },
    &commit,
    [](void*, uint64_t) noexcept {},
    [](void*, pb_str, uint32_t, int64_t, uint64_t, pb_job_fn, void*) noexcept { return uint64_t{0}; },
    &close,
    &consumer,
    &close,
    &pending,
    [](void*) noexcept { return int64_t{0}; },
    [](void*, pb_str, pb_str) noexcept -> pb_buf* { return nullptr; },
    [](void*, pb_str, pb_str) noexcept -> pb_buf* { return nullptr; },
    [](void*) noexcept { return to_abi(ChildHost::get().context().data_folder()); },
};

}  // namespace

const pb_store& child_store() noexcept { return kTable; }

}  // namespace patchbay::isolated
