#include "users/user_calls.h"

#include <patchbay/strand.h>

#include <limits>
#include <utility>

namespace patchbay::sip_trunk {

UserCalls::UserCalls(const Host& host, const Settings& settings, ContactDirectory& directory)
    : host_(host), settings_(settings), directory_(directory), answerer_(host) {
  answerer_.on(
      telephony::Answerer::offer,
      [this](const telephony::Offer& call, Reply<telephony::Taken> reply) { offer(call, std::move(reply)); });
}

RegisteredAnswerer UserCalls::answerer() {
  return {"users", answerer_.handle(), std::numeric_limits<int64_t>::min()};
}

Result<telephony::Dialled> UserCalls::dial(const telephony::DialUser& request) {
  auto contacts = directory_.of(request.tenant, request.user);
  if (request.user.empty() || contacts.empty()) return {Code::not_found, "the user has no contact"};
  const int64_t id = ++last_id_;
  auto call = std::make_unique<UserCall>(host_, request, std::move(contacts), [this, id] {
    calls_.erase(id);
    changed();
  });
  const telephony::Dialled dialled{call->handle()};
  calls_.emplace(id, std::move(call));
  changed();
  // Later, so that the caller knows the leg before its first event.
  post(host_, kMainStrand, alive_.bind([this, id] {
    const auto found = calls_.find(id);
    if (found != calls_.end()) found->second->start();
  }));
  return dialled;
}

// A user without contacts takes no call; the leg then refuses it.
void UserCalls::offer(const telephony::Offer& call, Reply<telephony::Taken> reply) {
  if (call.target != "user" || directory_.of(call.tenant, call.user).empty())
    return reply(telephony::Taken{});
  const auto tenant = settings_.tenants.find(call.tenant);
  const int64_t ring_timeout_ms =
      tenant != settings_.tenants.end() ? tenant->second.user_ring_timeout_ms : kDefaultUserRingMs;
  const int64_t id = ++last_id_;
  auto made = std::make_unique<InboundUserCall>(
      host_, call, ring_timeout_ms, [this](const telephony::DialUser& request) { return dial(request); },
      [this, id] {
        inbound_.erase(id);
        changed();
      });
  telephony::Taken taken;
  taken.listener = made->listener();
  inbound_.emplace(id, std::move(made));
  changed();
  reply(taken);
  post(host_, kMainStrand, alive_.bind([this, id] {
    const auto found = inbound_.find(id);
    if (found != inbound_.end()) found->second->start();
  }));
}

void UserCalls::changed() {
  if (on_count_) on_count_();
}

}  // namespace patchbay::sip_trunk
