// SessionHostCalls: runs the calls of host functions that one child makes, all by the rows of
// host_functions.h: reads the arguments, calls the function in the plugin's name, and sends back its result
// and what its callback gets.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "isolation/host_call_wire.h"
#include "isolation/in_flight_limit.h"
#include "isolation/limits.h"
#include "isolation/remote_objects.h"
#include "isolation/session_link.h"

namespace patchbay::core::isolation {

// A callback of the child: writes what it gets into frames. A registration's belongs to RemoteObjects, a
// question's frees itself when it is called.
class Relay final : public RemoteObject {
 public:
  Relay(std::shared_ptr<SessionLink> link, HandleKind opened, uint64_t number)
      : RemoteObject(opened), link_(std::move(link)), number_(number) {}
  Relay(std::shared_ptr<SessionLink> link, InFlightLimit::Permit permit, uint64_t number)
      : RemoteObject(HandleKind::none), link_(std::move(link)), permit_(std::move(permit)), number_(number) {}

  // The function to register; `self` is the relay.
  template <class... B>
  static void call(void* self, B... arguments) noexcept {
    auto* relay = static_cast<Relay*>(self);
    if (relay->permit_) return std::unique_ptr<Relay>(relay)->answer(arguments...);
    Encoder out(Kind::callback);
    out.u64(relay->number_);
    Arguments<B...>::put(out, arguments...);
    if constexpr ((std::is_same_v<B, const pb_event*> || ...)) {
      relay->link_->send_if_room(out);
    } else {
      // A job too large for a frame is dropped here, and claimed again when its lease ends.
      relay->link_->send(out);
    }
  }

 private:
  template <class... B>
  void answer(B... arguments) {
    if (!link_->is_open() || link_->send(result_frame<B...>(number_, arguments...))) return;
    link_->send(failed_frame<B...>(number_, PB_E_EXHAUSTED, kTooLarge, arguments...));
  }

  const std::shared_ptr<SessionLink> link_;
  std::optional<InFlightLimit::Permit> permit_;  // of a question
  const uint64_t number_;
};

// On the plugin's main strand.
class SessionHostCalls {
 public:
  SessionHostCalls(std::shared_ptr<SessionLink> link, RemoteObjects& held)
      : link_(std::move(link)), held_(held) {}

  // A frame. False: it is invalid.
  bool take(Decoder& in);

  // Begins a question of the child whose frame has `bytes`; its callback is &Relay::call<B...>, which owns
  // the relay. NULL: the child has too many under way, and the question was answered with PB_E_EXHAUSTED.
  template <class... B>
  std::unique_ptr<Relay> ask(uint64_t number, size_t bytes) {
    static constexpr char kTooMany[] = "reads and commits under way";
    if (auto permit = InFlightLimit::acquire(in_flight_, bytes))
      return std::make_unique<Relay>(link_, std::move(*permit), number);
    link_->too_many(kTooMany);
    link_->send(failed_frame<B...>(number, PB_E_EXHAUSTED, kTooMany, B{}...));
    return nullptr;
  }

 private:
  using Handler = bool (*)(SessionHostCalls& of, uint64_t number, Decoder& in);
  template <class T, size_t I, class Member>
  struct Call;
  // A handler for each function of a table, in their order.
  template <class T>
  static constexpr auto handlers();

  // shared with callbacks that may outlive the session
  const std::shared_ptr<SessionLink> link_;
  const std::shared_ptr<InFlightLimit> in_flight_ =
      std::make_shared<InFlightLimit>(kMaxQuestionsInFlight, kMaxQuestionBytesInFlight);
  // borrowed
  RemoteObjects& held_;
};

}  // namespace patchbay::core::isolation
