#include "isolation/session_bus.h"

#include <algorithm>
#include <utility>

#include "isolation/shared_port.h"

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

class SessionBus::HeldPort final : public Held {
 public:
  HeldPort(std::shared_ptr<Link> link, uint64_t tag, std::unique_ptr<SharedPort> port)
      : link_(std::move(link)), tag_(tag), port_(std::move(port)) {
    handle = port_->open(link_->host());
  }
  void close(const Host& host, pb_fn done, void* user) override {
    host.media->port_close(host.self, handle, done, user);
  }
  void closed() override { link_->send(Encoder(Kind::closed).u64(tag_)); }

 private:
  const std::shared_ptr<Link> link_;
  const uint64_t tag_;
  const std::unique_ptr<SharedPort> port_;
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

bool SessionBus::create_port(Decoder& in, Descriptor fd) {
  const uint64_t seq = in.u64();
  const uint64_t tag = in.u64();
  const uint32_t pull_rate_hz = in.u32();
  const uint32_t push_rate_hz = in.u32();
  if (!in.whole() || held_.is_used(tag)) return false;
  auto ring = Ring::map(std::move(fd));
  if (!ring) return false;
  if (held_.is_full()) return link_->refuse(seq, "ports");
  if (std::max(pull_rate_hz, push_rate_hz) > kMostSamples * 1000 / PB_TICK_MS) {
    link_->answer(seq, 0);
    return true;
  }
  auto port = std::make_unique<HeldPort>(
      link_, tag, std::make_unique<SharedPort>(std::move(*ring), pull_rate_hz, push_rate_hz));
  if (port->handle != 0) link_->lend(port->handle);
  link_->answer(seq, port->handle);
  held_.add(tag, std::move(port));
  return true;
}

}  // namespace patchbay::core::isolation
