#include "outbound/remote_hangup.h"

#include <utility>

#include "outbound/limits.h"

namespace patchbay::ai_voice {

void RemoteHangup::request(const Call& call, Function<void(const Result<Call>&)> done) {
  Transaction tx(host_);
  store_.request_hangup(tx, call);
  const int64_t deadline_ns = host_.mono_ns() + kMaxRemoteHangupMs * 1'000'000;
  std::move(tx).commit(
      alive_.bind([this, call, deadline_ns, done = std::move(done)](const Commit& outcome) mutable {
        if (!outcome) return done(Result<Call>(outcome.error()));
        wait({call, deadline_ns, std::move(done)});
      }));
}

void RemoteHangup::wait(Wait wait) {
  waits_.push_back(std::move(wait));
  if (!timer_.armed()) timer_.after_ms(kRemoteHangupPollMs, [this] { check(); });
}

void RemoteHangup::check() {
  for (Wait& each : std::exchange(waits_, {})) {
    const std::string tenant = each.call.tenant, id = each.call.call_id;
    store_.get(tenant, id, kMainStrand,
               alive_.bind([this, wait = std::move(each)](const Result<Call>& now) mutable {
                 take(std::move(wait), now);
               }));
  }
}

void RemoteHangup::take(Wait wait, const Result<Call>& now) {
  if (!now || now->owner_run != wait.call.owner_run) return wait.done(now);
  if (host_.mono_ns() < wait.deadline_ns) return this->wait(std::move(wait));
  wait.done(Result<Call>(Error{Code::unavailable, "the server that runs the call does not end it"}));
}

}  // namespace patchbay::ai_voice
