// FakeRing: one contact of a plugin that FakeTelephony::ring_user() rings: the plugin is the user's telephone
// there, the test the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../services/telephony.h"
#include "test_environment.h"

namespace patchbay::testing {

namespace detail {

// Test's strand.
class RingState {
 public:
  using Leg = telephony::Leg;
  using Listener = telephony::LegListener;

  // `on_answered` is called once, when the contact answers.
  RingState(const Host& host, const telephony::AddContact& contact, Function<void()> on_answered)
      : host_(&host),
        name(contact.name),
        contact_(Lease<telephony::Contact>::open(host, contact.contact)),
        listener_(host),
        on_answered_(std::move(on_answered)) {
    listener_
        .on(Listener::progress,
            [this](const telephony::Progress& what) -> Result<Empty> {
              rings = rings || what.sip_status == 180;
              return Empty{};
            })
        .on(Listener::answered,
            [this](const telephony::Answered& what) -> Result<Empty> {
              if (!port) on_answered_();
              port = what.port;
              return Empty{};
            })
        .on(Listener::digit,
            [this](const telephony::Digit& what) -> Result<Empty> {
              digits += what.digit;
              return Empty{};
            })
        .on(Listener::ended, [this](const telephony::Ended& what) -> Result<Empty> {
          ended = what;
          return Empty{};
        });
  }

  void start(telephony::RingContact request) {
    request.listener = listener_.handle();
    contact_.call(telephony::Contact::ring, request, [this](const Result<telephony::Dialled>& dialled) {
      if (!dialled) {
        error = dialled.error();
        return;
      }
      leg_ = Lease<Leg>::open(*host_, dialled->leg);
      if (stopped_) leg_.send(Leg::hangup, *stopped_);
    });
  }
  void hangup(const telephony::Hangup& why) {
    if (ended || error) return;
    stopped_ = why;
    if (leg_) leg_.send(Leg::hangup, why);
  }

 private:
  const Host* host_;

 public:
  std::string name;
  // What the plugin has reported so far.
  std::optional<Error> error;
  bool rings = false;
  Handle port;
  std::string digits;
  std::optional<telephony::Ended> ended;

 private:
  Lease<telephony::Contact> contact_;
  Provision<Listener> listener_;
  Lease<Leg> leg_;
  std::optional<telephony::Hangup> stopped_;
  Function<void()> on_answered_;
};

}  // namespace detail

// Copies are the same call. Call every function on the test's thread; each waits until the plugin is idle.
class FakeRing {
 public:
  FakeRing(const TestEnvironment& environment, detail::RingState& state)
      : environment_(&environment), state_(&state) {}

  // As the plugin named the contact.
  std::string contact() const { return read(&detail::RingState::name); }
  // Why the contact cannot be rung; nothing: it can.
  std::optional<Error> error() const { return read(&detail::RingState::error); }
  bool is_ringing() const { return read(&detail::RingState::rings) && !is_answered() && !ended(); }
  bool is_answered() const { return static_cast<bool>(port()); }
  // The audio of the answered call, for OpenPort; zero before.
  Handle port() const { return read(&detail::RingState::port); }
  // The keys that the user has pressed.
  std::string digits() const { return read(&detail::RingState::digits); }
  // How it ended; nothing: it has not.
  std::optional<telephony::Ended> ended() const { return read(&detail::RingState::ended); }

  // Hangs up as the caller, or ends the ringing.
  void hang_up() const {
    environment_->run([this] { state_->hangup({"the caller hung up", false}); });
    static_cast<void>(environment_->settle());
  }

 private:
  template <class T>
  T read(T detail::RingState::*member) const {
    static_cast<void>(environment_->settle());
    return environment_->run([&] { return state_->*member; });
  }

  const TestEnvironment* environment_;
  detail::RingState* state_;  // lives as long as the environment
};

}  // namespace patchbay::testing
