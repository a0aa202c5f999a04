// Events in C++.
#pragma once

#include <string>
#include <string_view>

#include "abi/bus.h"
#include "str.h"

namespace patchbay {

// A received event. Borrowed: valid during the callback.
class Event {
 public:
  explicit Event(const pb_event* event) : event_(event) {}
  int64_t id() const noexcept { return event_->id; }
  int64_t time_ms() const noexcept { return event_->time_ms; }
  std::string_view topic() const noexcept { return from_abi(event_->topic); }
  std::string_view tenant() const noexcept { return from_abi(event_->tenant); }
  std::string_view subject() const noexcept { return from_abi(event_->subject); }
  std::string_view correlation() const noexcept { return from_abi(event_->correlation); }
  std::string_view payload() const noexcept { return from_abi(event_->payload); }  // JSON
  // Of a durable event: its number in the tenant's log. 0: transient, or the host is too old.
  int64_t tenant_seq() const noexcept {
    return event_->size >= PB_END_OF_(event_, tenant_seq) ? event_->tenant_seq : 0;
  }

 private:
  const pb_event* event_;
};

// An event to publish or emit. The host sets id and time.
struct NewEvent {
  std::string topic;
  std::string tenant;
  std::string subject;
  std::string correlation;
  std::string payload;  // JSON; an emitted event has at most 256 KiB

  pb_event to_abi_event() const noexcept {
    pb_event event{};
    event.size = sizeof event;
    event.topic = to_abi(topic);
    event.tenant = to_abi(tenant);
    event.subject = to_abi(subject);
    event.correlation = to_abi(correlation);
    event.payload = to_abi(payload);
    return event;
  }
};

}  // namespace patchbay
