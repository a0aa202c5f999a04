// FakeCall: one call of FakeTelephony: the test is the far end, the plugin has the leg.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../end_watch.h"
#include "../lifetime.h"
#include "../services/telephony.h"
#include "../strand.h"
#include "fake_port.h"
#include "test_environment.h"

namespace patchbay::testing {

namespace detail {

inline telephony::Ended ended_as(const std::string& cause, int64_t sip_status = 0,
                                 const std::string& why = {}) {
  telephony::Ended ended;
  ended.cause = cause;
  ended.sip_status = sip_status;
  ended.detail = why;
  return ended;
}

// A call of either direction. Test's strand.
class CallState {
 public:
  using Leg = telephony::Leg;
  using Listener = telephony::LegListener;

  CallState(const Host& host, uint32_t rate_hz) : host_(&host), port(rate_hz), leg_(host), timer_(host) {
    leg_.on(Leg::hangup,
            [this](const telephony::Hangup& why) -> Result<Empty> {
              hangup_reason = why.reason;
              end_soon(ended_as("local"));
              return Empty{};
            })
        .on(Leg::answer, [this](const Empty&) { return answer_inbound(); })
        .on(Leg::ring, [this](const telephony::Ring& how) { return ring_inbound(how); })
        .on(Leg::reject, [this](const telephony::Reject& why) { return reject_inbound(why); })
        .on(Leg::hold,
            [this](const telephony::Hold& what) -> Result<Empty> {
              PB_TRY(check_answered());
              held = what.held;
              return Empty{};
            })
        .on(Leg::send_digits,
            [this](const telephony::Digits& what) -> Result<Empty> {
              PB_TRY(check_answered());
              digits += what.digits;
              return Empty{};
            })
        .on(Leg::transfer, [this](const telephony::Transfer& what) -> Result<telephony::Transferred> {
          PB_TRY(check_answered());
          transfers.push_back(what);
          if (!transfer_outcome) return {Code::unsupported, "the far end does not transfer calls"};
          return *transfer_outcome;
        });
  }

  Handle handle() { return leg_.handle(); }
  // The plugin owns the call from here on, which ends when the listener does, or after `ring_ms`.
  void own(Handle listener, int64_t ring_ms) {
    owned = true;
    listener_ = Lease<Listener>::open(*host_, listener);
    listener_end_ = EndWatch(*host_, listener, [this] {
      listener_gone = true;
      end(ended_as("local"));
    });
    timer_.after_ms(ring_ms, [this] {
      if (!answered) end(ended_as("no-answer", 480, "rang out"));
    });
  }
  void ring(int64_t status) {
    if (owned && !ended && !answered) listener_.send(Listener::progress, {status, trunk_id, false, {}});
  }
  void answer() {
    if (!owned || ended || answered) return;
    answered = true;
    timer_.cancel();
    listener_.send(Listener::answered, {trunk_id, 0, open_port()});
  }
  void press(const std::string& keys) {
    for (const char key : keys)
      if (owned && !ended) listener_.send(Listener::digit, {std::string(1, key)});
  }
  void end(telephony::Ended how) {
    if (ended) return;
    how.answered = answered;
    if (how.trunk_id.empty()) how.trunk_id = trunk_id;
    ended = how;
    timer_.cancel();
    listener_end_ = EndWatch();
    if (owned) listener_.send(Listener::ended, how);
    leg_.withdraw();
    if (port.handle()) port.close([] {});
  }

 private:
  const Host* host_;

 public:
  // What happened so far.
  bool inbound = false;
  telephony::Offer offer;         // of an inbound call
  telephony::Dial dial;           // of an outbound one
  telephony::DialUser dial_user;  // of a call to a user
  std::string trunk_id = "fake";
  bool owned = false;
  bool answered = false;
  bool listener_gone = false;
  bool held = false;
  std::vector<telephony::Ring> rings;
  int64_t refused_with = 0;
  std::string refused_reason, hangup_reason, digits;
  std::vector<telephony::Transfer> transfers;
  std::optional<telephony::Transferred> transfer_outcome;
  std::optional<telephony::Ended> ended;
  FakePort port;

 private:
  // Ends it once the method that asks for it has replied.
  void end_soon(telephony::Ended how) {
    post(*host_, kMainStrand, alive_.bind([this, how = std::move(how)] { end(how); }));
  }
  Handle open_port() { return port.handle() ? port.handle() : port.open(*host_); }
  Status check_answered() const {
    return answered && !ended ? Status() : Status(Code::conflict, "the call is not answered");
  }
  Status check_unanswered() const {
    if (!inbound) return {Code::conflict, "it is no inbound call"};
    if (!owned) return {Code::conflict, "the call is not taken yet: reply to the offer first"};
    return answered || ended ? Status(Code::conflict, "the call is answered or over") : Status();
  }
  Result<Empty> answer_inbound() {
    PB_TRY(check_unanswered());
    answer();
    return Empty{};
  }
  Result<Empty> ring_inbound(const telephony::Ring& how) {
    PB_TRY(check_unanswered());
    rings.push_back(how);
    listener_.send(Listener::progress, {how.early_media ? 183 : 180, trunk_id, how.early_media,
                                        how.early_media ? open_port() : Handle()});
    return Empty{};
  }
  Result<Empty> reject_inbound(const telephony::Reject& why) {
    PB_TRY(check_unanswered());
    if (why.sip_status < 400 || why.sip_status > 699)
      return Error{Code::invalid, "sip_status must be 400 to 699"};
    refused_with = why.sip_status;
    refused_reason = why.reason;
    end_soon(ended_as("local", why.sip_status));
    return Empty{};
  }

  Provision<telephony::Leg> leg_;
  Lease<Listener> listener_;
  EndWatch listener_end_;
  Timer timer_;
  Lifetime alive_;
};

}  // namespace detail

// Copies are the same call. Call every function on the test's thread; each waits until the plugin is idle.
class FakeCall {
 public:
  FakeCall() = default;
  FakeCall(const TestEnvironment& environment, detail::CallState& state)
      : environment_(&environment), state_(&state) {}
  // Whether there is such a call.
  explicit operator bool() const noexcept { return state_ != nullptr; }

  // The far end of a dialled call.
  void ring(int64_t sip_status = 180) const {
    act([&] { state_->ring(sip_status); });
  }
  void answer() const {
    act([this] { state_->answer(); });
  }
  // Refuses it: busy (486), declined (603)...
  void decline(int64_t sip_status = 486, const std::string& why = "busy (486)") const {
    act([&] { state_->end(detail::ended_as("no-answer", sip_status, why)); });
  }

  // The far end of any call.
  void press(const std::string& keys) const {
    act([&] { state_->press(keys); });
  }
  void hang_up() const {
    act([this] { state_->end(detail::ended_as("far")); });
  }
  // Ends it as a technical fault does.
  void fail(const std::string& why) const {
    act([&] { state_->end(detail::ended_as("failed", 0, why)); });
  }
  // What the far end replies to transfers from here on; until then it does not transfer calls.
  void on_transfer(telephony::Transferred outcome) const {
    act([&] { state_->transfer_outcome = std::move(outcome); });
  }
  // Audio, at the rate that FakeTelephony was made with. It is moved while the test's clock is advanced and
  // the plugin has joined the port (FakeAudio).
  void say(const Pcm& pcm) const { state_->port.say(pcm); }
  Pcm heard() const { return state_->port.heard(); }

  // What the plugin did.
  bool is_taken() const { return read(&detail::CallState::owned); }
  bool is_answered() const { return read(&detail::CallState::answered); }
  bool is_held() const { return read(&detail::CallState::held); }
  std::vector<telephony::Ring> rings() const { return read(&detail::CallState::rings); }
  std::vector<telephony::Transfer> transfers() const { return read(&detail::CallState::transfers); }
  std::string sent_digits() const { return read(&detail::CallState::digits); }
  // The status with which an inbound call was refused; 0: it was not.
  int64_t refused_with() const { return read(&detail::CallState::refused_with); }
  std::string refused_reason() const { return read(&detail::CallState::refused_reason); }
  std::string hangup_reason() const { return read(&detail::CallState::hangup_reason); }
  // Whether the call was hung up because its listener was withdrawn.
  bool is_abandoned() const { return read(&detail::CallState::listener_gone); }
  // How it ended; nothing: it has not.
  std::optional<telephony::Ended> ended() const { return read(&detail::CallState::ended); }
  telephony::Offer offer() const { return read(&detail::CallState::offer); }
  telephony::Dial dial() const { return read(&detail::CallState::dial); }
  // Of a call to a user; else empty.
  telephony::DialUser dial_user() const { return read(&detail::CallState::dial_user); }

 private:
  template <class F>
  void act(F f) const {
    environment_->run(std::move(f));
    static_cast<void>(environment_->settle());
  }
  template <class T>
  T read(T detail::CallState::*member) const {
    static_cast<void>(environment_->settle());
    return environment_->run([&] { return state_->*member; });
  }

  const TestEnvironment* environment_ = nullptr;
  detail::CallState* state_ = nullptr;  // lives as long as the environment
};

}  // namespace patchbay::testing
