// EndWatch: a callback for the end of an instance, a port or a calling plugin, however it ends.
//
// An isolated plugin may crash at any moment; its instances, ports and calls end with it. A plugin that keeps
// something on its behalf (an outgoing call for a listener, a join for its caller) watches the handle that it
// was given, or the calling plugin, to release that:
//
//   leg.listener_gone = EndWatch(host(), request.listener, [this] { hangup(); });
//   service_->on(Audio::join, [this](const Join& request) {      // in the method itself, not later
//     join.caller_gone = EndWatch(host(), calling_plugin(host()), [this, id] { end(id); });
#pragma once

#include <utility>

#include "function.h"
#include "host.h"
#include "message.h"

namespace patchbay {

// [in a method, before it returns] The handle of the calling plugin, valid until the plugin stops or its
// process ends. Empty outside of a method.
inline Handle calling_plugin(const Host& host) { return {host.services->caller(host.self)}; }

// Use and destroy it on its strand: then the callback does not run afterwards.
class EndWatch {
 public:
  EndWatch() = default;
  // Calls f() once, on the strand, when the instance, port or calling plugin with that handle has ended, also
  // when it had ended before. Never for an empty handle. f() may destroy this
  // object.
  EndWatch(const Host& host, Handle of, Function<void()> f, StrandId strand = kMainStrand) {
    if (!of) return;
    host_ = &host;
    state_ = new State{host, std::move(f)};
    watch_ = host.services->watch_end(host.self, of.id, strand, &EndWatch::ended, state_);
    if (watch_ == 0) delete std::exchange(state_, nullptr);
  }
  EndWatch(EndWatch&& other) noexcept
      : host_(other.host_),
        state_(std::exchange(other.state_, nullptr)),
        watch_(std::exchange(other.watch_, 0)) {}
  EndWatch& operator=(EndWatch&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(state_, other.state_);
    std::swap(watch_, other.watch_);
    return *this;
  }
  ~EndWatch() {
    if (state_ == nullptr) return;
    host_->services->unwatch(
        host_->self, watch_, [](void* user) noexcept { delete static_cast<State*>(user); }, state_);
  }
  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  struct State {
    const Host& host;
    Function<void()> f;
  };
  static void ended(void* user) noexcept {
    auto* state = static_cast<State*>(user);
    const Host& host = state->host;
    const auto f = std::move(state->f);
    guard_void([&] { f(); }, [&](const char* text) { host.log_thrown("end watch", text); });
  }

  const Host* host_ = nullptr;
  State* state_ = nullptr;  // owned; freed when the watch is closed
  uint64_t watch_ = 0;
};

}  // namespace patchbay
