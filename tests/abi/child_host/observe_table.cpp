#include "child_host.h"

namespace patchbay::isolated {
namespace {

void log(void*, uint32_t level, pb_str correlation, pb_str text, const pb_pair* fields,
         uint32_t count) noexcept {
  Encoder out(Kind::log);
  out.u32(level).str(from_abi(correlation)).str(from_abi(text)).u32(count);
  for (uint32_t i = 0; i < count; ++i) out.str(from_abi(fields[i].key)).str(from_abi(fields[i].value));
  ChildHost::get().send(out);
}

int32_t log_enabled(void*, uint32_t level) noexcept { return ChildHost::get().log_enabled(level) ? 1 : 0; }

void secret(uint32_t add, pb_str value) {
  ChildHost::get().send(Encoder(Kind::secret).u32(add).str(from_abi(value)));
}
void secret_add(void*, pb_str value) noexcept { secret(1, value); }
void secret_forget(void*, pb_str value) noexcept { secret(0, value); }

// Metrics are not carried yet.
uint64_t metric(void*, uint32_t, pb_str, pb_str, const pb_pair*, uint32_t) noexcept { return 0; }
void metric_add(void*, uint64_t, double) noexcept {}
void metric_set(void*, uint64_t, double) noexcept {}
int32_t report(void*, pb_str, void (*)(void*, pb_str) noexcept, void*) noexcept { return PB_E_UNSUPPORTED; }

constexpr pb_observe kTable{sizeof(pb_observe), 0,       &log,        &log_enabled, &secret_add,
                            &secret_forget,     &metric, &metric_add, &metric_set,  &report};

}  // namespace

const pb_observe& child_observe() noexcept { return kTable; }

}  // namespace patchbay::isolated
