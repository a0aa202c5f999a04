// Relays: a registration of the child (a subscription, a watch, a worker ...), of whose callback the server's
// half makes a frame, kind, tag and arguments, and the child's half the plugin's callback again.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "abi/close_handle.h"
#include "isolation/argument_wire.h"
#include "isolation/held.h"
#include "isolation/link.h"

namespace patchbay::core::isolation {

// The server's half: closed by the function that closes such handles. Events are lost when the child does not
// keep up, as beyond any subscription's queue.
template <Kind kind, HandleKind handle_kind, class Callback>
class RelayToChild;

template <Kind kind, HandleKind handle_kind, class... A>
class RelayToChild<kind, handle_kind, void (*)(void*, A...) noexcept> final : public Held {
 public:
  RelayToChild(std::shared_ptr<Link> link, uint64_t tag) : link_(std::move(link)), tag_(tag) {}

  void close(const Host& host, pb_fn done, void* user) override {
    close_handle(tables_of(host), host.self, handle_kind, handle, done, user);
  }
  // The callback; `self` is this.
  static void call(void* self, A... arguments) noexcept {
    const auto& relay = *static_cast<RelayToChild*>(self);
    Encoder out(kind);
    out.u64(relay.tag_);
    Arguments<A...>::put(out, arguments...);
    if constexpr (kind == Kind::event) {
      relay.link_->send_if_room(out);
    } else {
      // A job that is too large is claimed again, and again, as one that crashes would be.
      relay.link_->send(out);
    }
  }

 private:
  const std::shared_ptr<Link> link_;
  const uint64_t tag_;
};

}  // namespace patchbay::core::isolation
