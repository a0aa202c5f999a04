// The child's half of a relay (relay.h).
#pragma once

#include <string_view>
#include <utility>

#include "isolation/argument_wire.h"
#include "isolation/child_host.h"
#include "runtime/thread_kind.h"

namespace patchbay::core::isolation {

// What the last words of a crash name beside the callback.
template <class... A>
std::string_view detail_of(const A&...) {
  return {};
}
inline std::string_view detail_of(const pb_event* event) { return from_abi(event->topic); }
inline std::string_view detail_of(const pb_job* job) { return from_abi(job->kind); }

template <class Callback>
class RelayToPlugin;

template <class... A>
class RelayToPlugin<void (*)(void*, A...) noexcept> final : public Listening {
 public:
  using Callback = void (*)(void*, A...) noexcept;
  // `what` is a literal: "event".
  RelayToPlugin(Ref<Strand> strand, const char* what, Callback fn, void* user)
      : Listening(std::move(strand)), what_(what), fn_(fn), user_(user) {}

 private:
  void run(Decoder& in) override {
    in.u64();  // tag
    const Arguments<A...> arguments(in);
    if (!in.ok()) return;
    arguments.call([this](A... given) {
      const CallbackScope what(what_, detail_of(given...));
      fn_(user_, given...);
    });
  }

  const char* const what_;
  const Callback fn_;
  void* const user_;
};

template <class Callback>
Ref<Listening> relay(Ref<Strand> strand, const char* what, Callback fn, void* user) {
  return make_ref<RelayToPlugin<Callback>>(std::move(strand), what, fn, user);
}

}  // namespace patchbay::core::isolation
