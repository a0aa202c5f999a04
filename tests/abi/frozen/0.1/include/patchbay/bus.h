// Publishes and subscribes to events.
#pragma once

#include "event.h"
#include "host.h"

namespace patchbay {

// [any] Publishes a transient event: see abi/bus.h.
inline void publish(const Host& host, const NewEvent& event) {
  const pb_event raw = event.to_abi_event();
  host.bus->publish(host.self, &raw);
}

// A subscription, as long as this lives. Destroy it on its strand: then the handler does not run afterwards.
class Subscription {
 public:
  using Handler = Function<void(const Event&)>;

  Subscription() = default;
  static Result<Subscription> open(const Host& host, std::string_view pattern, Handler handler,
                                   StrandId strand = kMainStrand, std::string_view tenant = {}) {
    auto state = std::make_unique<State>(State{host, std::move(handler)});
    pb_subscription what{};
    what.size = sizeof what;
    what.strand = strand;
    what.pattern = to_abi(pattern);
    what.tenant = to_abi(tenant);
    pb_err err = empty_error();
    const uint64_t id = host.bus->subscribe(host.self, &what, &Subscription::deliver, state.get(), &err);
    if (id == 0) return read_error(err.code, &err);
    return Subscription(host, id, state.release());
  }
  Subscription(Subscription&& other) noexcept
      : host_(other.host_), id_(std::exchange(other.id_, 0)), state_(std::exchange(other.state_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(id_, other.id_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~Subscription() {
    if (id_ == 0) return;
    host_->bus->unsubscribe(
        host_->self, id_, [](void* user) noexcept { delete static_cast<State*>(user); }, state_);
  }

 private:
  struct State {
    const Host& host;
    Handler handler;
  };
  Subscription(const Host& host, uint64_t id, State* state) : host_(&host), id_(id), state_(state) {}
  static void deliver(void* user, const pb_event* event) noexcept {
    auto* state = static_cast<State*>(user);
    guard_void([&] { state->handler(Event(event)); },
               [&](const char* text) { state->host.log_thrown("event", text); });
  }

  const Host* host_ = nullptr;
  uint64_t id_ = 0;
  State* state_ = nullptr;  // owned; freed when the close is done
};

}  // namespace patchbay
