// CallAccesses: patchbay.telephony.calls: lists the calls, and opens ports into their audio for the plugins
// that the configuration grants it. Main strand.
#pragma once

#include <patchbay/audio.h>
#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/calls.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calls/live_calls.h"
#include "calls/tap_list.h"
#include "read_settings.h"

namespace patchbay::sip_trunk {

class CallAccesses {
 public:
  // All outlive this.
  CallAccesses(const Host& host, LiveCalls& calls, const Settings& settings);

  // Offers the service.
  Status publish() { return service_.publish(); }
  // Ends the service and all accesses; calls done() once their ports are closed.
  void stop(Function<void()> done);

 private:
  // The port of one access.
  class Port final : public AudioPort {
   public:
    Port(std::shared_ptr<TapList> list, uint32_t rate_hz, TapSides hears, TapSides says)
        : taps(std::move(list)), tap(rate_hz, hears, says), rate_hz_(rate_hz) {}
    uint32_t pull_rate_hz() const noexcept override { return rate_hz_; }
    uint32_t push_rate_hz() const noexcept override { return rate_hz_; }
    void pull(pb_frame& out) noexcept override;
    void push(const pb_frame& in) noexcept override;

    const std::shared_ptr<TapList> taps;  // shared with the call, which may end earlier
    Tap tap;

   private:
    const uint32_t rate_hz_;
  };
  struct Open {
    std::unique_ptr<Port> port;
    uint64_t call = 0;
    Handle caller;
    EndWatch caller_gone;
    std::vector<Function<void()>> waiting;  // for the end
    bool is_closing = false;
  };

  Status check_granted() const;
  Result<telephony::CallList> list(const telephony::ListCalls& request) const;
  Result<telephony::Access> open(const telephony::OpenAccess& request);
  void close(int64_t id, Function<void()> done);
  void close_port(int64_t id);

  // borrowed
  const Host& host_;
  LiveCalls& calls_;
  const Settings& settings_;
  // owned
  const Log log_;
  Provision<telephony::Calls> service_;
  std::map<int64_t, Open> accesses_;
  // state
  int64_t last_id_ = 0;
  Function<void()> stopped_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
