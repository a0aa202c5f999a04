// OutboundLeg: one call out: gates, trunks in order, the dialog, the audio, the end.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config.h"
#include "leg_port.h"
#include "sdp/sdp.h"
#include "sip_stack.h"
#include "trunk_selector.h"

namespace patchbay::sip_trunk {

struct Gate {
  std::string name;
  Handle instance;
};

// Lives on the main strand; the sip thread calls it as DialogListener. Destroyed only when gone() was called.
class OutboundLeg final : public DialogListener {
 public:
  // gone() on the main strand, as the last.
  OutboundLeg(const Host& host, SipStack& stack, const ServerSettings& server, const TenantTrunks& trunks,
              telephony::Dial request, Function<void()> gone);

  Handle handle() { return service_.handle(); }
  // Asks the gates one by one, then dials.
  void start(const std::vector<Gate>& gates);
  void hangup();

 private:
  void ask_gate(size_t index);
  void open_media();
  void try_trunk();
  void answered(DialogId id, const std::string& sdp, const std::string& peer_ip);
  void tell_answered(Handle port);
  void dialog_ended(DialogId id, const Ended& ended);
  void finish(const telephony::Ended& ended);
  void watch_media();
  Result<std::string> take_offer(std::string_view sdp);
  void take_media(const lib::RemoteMedia& remote);

  // sip thread
  void on_progress(DialogId id, int status, std::string_view sdp, std::string_view peer_ip) override;
  void on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) override;
  std::string on_reoffer(DialogId id, std::string_view sdp) override;
  void on_reanswer(DialogId id, std::string_view sdp) override;
  void on_ended(DialogId id, const Ended& ended) override;

  // borrowed
  const Host& host_;
  SipStack& stack_;
  // owned
  const ServerSettings server_;
  const std::map<std::string, TrunkAccess> trunks_;
  const telephony::Dial request_;
  const Log log_;
  Function<void()> gone_;
  Provision<telephony::Leg> service_;
  Lease<telephony::LegListener> listener_;
  std::vector<Gate> gates_;
  Lease<telephony::DialGate> gate_;
  TrunkSelector selector_;
  std::unique_ptr<LegPort> port_;
  Timer media_watch_;
  // state, main strand
  DialogId dialog_ = 0;
  int64_t begun_ns_ = 0;
  int64_t answered_ns_ = 0;
  bool hanging_up_ = false;
  bool finished_ = false;
  std::string no_media_;  // why we hung up by ourselves
  // state, shared with the sip thread
  std::mutex media_mutex_;
  lib::LocalMedia local_;  // guarded by media_mutex_, as the next three
  std::string signalling_ip_;
  bool held_ = false;  // by the far side, which may then be silent as long as it likes
  int64_t resumed_ns_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
