#include "isolation/bus/session_bus.h"

#include <utility>

namespace patchbay::core::isolation {

// Events beyond what the child takes in time are lost, as those beyond a subscription's queue are.
class SessionBus::Subscribed final : public Held {
 public:
  Subscribed(std::shared_ptr<Link> link, uint64_t tag) : link_(std::move(link)), tag_(tag) {}
  void close(const Host& host, pb_fn done, void* user) override {
    host.bus->unsubscribe(host.self, handle, done, user);
  }
  static void deliver(void* user, const pb_event* event) noexcept {
    const auto& subscribed = *static_cast<Subscribed*>(user);
    Encoder out(Kind::event);
    out.u64(subscribed.tag_);
    put_event(out, *event);
    subscribed.link_->send_if_room(out);
  }

 private:
  const std::shared_ptr<Link> link_;
  const uint64_t tag_;
};

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
  subscribed->handle = host.bus->subscribe(host.self, &what, &Subscribed::deliver, subscribed.get(), &err);
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
