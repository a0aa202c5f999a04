// OutboundLeg: one call out: gates, trunks in order, the dialog, the audio, the end.
#pragma once

#include <patchbay/end_watch.h>
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
#include "resolver.h"
#include "sdp/sdp.h"
#include "sip_stack.h"
#include "trunk_selector.h"

namespace patchbay::sip_trunk {

struct RegisteredGate {
  std::string name;
  Handle instance;
};

// Lives on the main strand; the sip thread calls it as DialogListener. Destroyed only when gone() was called.
class OutboundLeg final : public DialogListener {
 public:
  // gone() on the main strand, as the last. To be made in the method that dials: the plugin that calls is the
  // call's owner, as the listener is.
  OutboundLeg(const Host& host, SipStack& stack, Resolver& resolver, const ServerSettings& server,
              const TenantTrunks& trunks, telephony::Dial request, Function<void()> gone);

  // f(ended) on the main strand when the call is over, beside the listener.
  void on_ended_for_metrics(Function<void(const telephony::Ended&)> f) { metrics_ = std::move(f); }

  Handle handle() { return service_.handle(); }
  // Asks the gates one by one, then dials.
  void start(const std::vector<RegisteredGate>& gates);
  void hangup();

 private:
  void ask_gate(size_t index);
  void drop_gate();
  void owner_gone();
  void open_media();
  void try_trunk();
  void resolved(size_t attempt, const Result<Addresses>& addresses);
  void dial(const Addresses& addresses);
  void trunk_failed(const DialogEnd& ended);
  lib::SocketAddress announced_media(const lib::SocketAddress& trunk) const;
  void answered(DialogId id, const std::string& sdp, const std::string& peer_ip);
  void tell_answered(Handle port);
  void dialog_ended(DialogId id, const DialogEnd& ended);
  void finish(const telephony::Ended& ended);
  void finish_as(telephony::Ended told);
  void watch_media();
  Result<std::string> take_offer(std::string_view sdp);
  Status take_media(const lib::RemoteMedia& remote);

  // sip thread
  void on_progress(DialogId id, int status, std::string_view sdp, std::string_view peer_ip) override;
  void on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) override;
  std::string on_reoffer(DialogId id, std::string_view sdp) override;
  void on_reanswer(DialogId id, std::string_view sdp) override;
  void on_ended(DialogId id, const DialogEnd& ended) override;

  // borrowed
  const Host& host_;
  SipStack& stack_;
  Resolver& resolver_;
  // owned
  const ServerSettings server_;
  const std::map<std::string, TrunkAccess> trunks_;
  const telephony::Dial request_;
  const Log log_;
  Function<void()> gone_;
  Function<void(const telephony::Ended&)> metrics_;
  Provision<telephony::Leg> service_;
  Lease<telephony::LegListener> listener_;
  std::vector<RegisteredGate> gates_;
  Lease<telephony::DialGate> gate_;
  TrunkSelector selector_;
  std::unique_ptr<LegPort> port_;
  Timer media_watch_;
  Timer step_limit_;  // of the gate that is asked, or of the resolution that is awaited
  EndWatch listener_gone_;
  EndWatch dialler_gone_;
  // state, main strand
  DialogId dialog_ = 0;
  size_t resolving_ = 0;  // which resolution is awaited; 0: none
  size_t resolutions_ = 0;
  int64_t begun_ns_ = 0;
  int64_t answered_ns_ = 0;
  std::string earlier_trunks_;  // why those before the current one failed
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
