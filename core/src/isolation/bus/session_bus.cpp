#include "isolation/bus/session_bus.h"

#include <utility>

#include "isolation/relay.h"

namespace patchbay::core::isolation {

using Subscribed = RelayToChild<Kind::event, HandleKind::subscription, pb_event_fn>;

bool SessionBus::subscribe(Decoder& in) {
  const uint64_t seq = in.u64();
  const uint64_t tag = in.u64();
  pb_subscription what{};
  what.size = sizeof what;
  what.pattern = to_abi(in.str());
  what.tenant = to_abi(in.str());
  what.queue_max = in.u32();
  what.policy = in.u32();
  if (!in.whole() || held_.is_used(tag)) return false;
  if (held_.is_full()) return link_->refuse(seq, "subscriptions");
  auto subscribed = std::make_unique<Subscribed>(link_, tag);
  pb_err err = empty_error();
  const Host& host = link_->host();
  subscribed->handle = host.bus->subscribe(host.self, &what, &Subscribed::call, subscribed.get(), &err);
  link_->answer(seq, subscribed->handle, err);
  held_.add(tag, std::move(subscribed));
  return true;
}

bool SessionBus::publish(Decoder& in) {
  in.u64();
  const pb_event event = get_event(in);
  if (!in.whole()) return false;
  link_->host().bus->publish(link_->self(), &event);
  return true;
}

}  // namespace patchbay::core::isolation
