// What one child provides, and its calls of methods of others.
#pragma once

#include <map>
#include <memory>

#include "isolation/in_flight_limit.h"
#include "isolation/limits.h"
#include "isolation/remote_objects.h"
#include "isolation/services/interface_wire.h"
#include "isolation/session_link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionServices {
 public:
  SessionServices(std::shared_ptr<SessionLink> link, RemoteObjects& held, InterfaceShare& interfaces)
      : link_(std::move(link)), held_(held), interfaces_(interfaces) {}

  // Frames; each is false when the frame is invalid.
  bool provide(Decoder& in);
  bool describe(Decoder& in);
  bool call(Decoder& in);
  bool reply(Decoder& in);

  // Call when the child has ended, before its instances are closed: its callers get "gone".
  void end();

 private:
  class Provided;
  struct Waiting {
    pb_completion* completion;
    const pb_shape* reply;
  };
  struct Outgoing {
    std::shared_ptr<SessionLink> link;
    InFlightLimit::Permit permit;
    uint64_t call;  // 0: the child does not wait for it
    const pb_shape* reply;
  };
  static int32_t run(void* self, uint32_t slot, const pb_message* request, pb_completion* completion,
                     pb_err* err) noexcept;
  void refuse_call(uint64_t number, const char* what);
  static void answered(void* user, int32_t status, const pb_message* message, const pb_err* err) noexcept;

  // shared with callbacks that may outlive the session
  const std::shared_ptr<SessionLink> link_;
  const std::shared_ptr<InFlightLimit> in_flight_ =
      std::make_shared<InFlightLimit>(kMaxCallsInFlight, kMaxCallBytesInFlight);
  // borrowed
  RemoteObjects& held_;
  InterfaceShare& interfaces_;
  // state
  std::map<uint64_t, const pb_interface*> described_;
  std::map<uint64_t, Waiting> calls_;  // of others to the child
  uint64_t last_call_ = 0;
};

}  // namespace patchbay::core::isolation
