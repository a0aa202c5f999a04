// OutboundLeg: one outbound call: asks the gates, tries the trunks in order, connects the audio, reports the
// end.
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

#include "leg_port.h"
#include "read_settings.h"
#include "resolver.h"
#include "sdp/sdp.h"
#include "sip_stack.h"
#include "trunk_failover.h"

namespace patchbay::sip_trunk {

struct RegisteredGate {
  std::string name;
  Handle instance;
};

// Lives on the main strand; the sip thread calls the DialogListener functions. Destroy it only after
// on_closed().
class OutboundLeg final : public DialogListener {
 public:
  // Calls on_closed() last, on the main strand. Construct it in the method that dials, because the calling
  // plugin owns the call, as its listener does.
  OutboundLeg(const Host& host, SipStack& stack, Resolver& resolver, const ServerSettings& server,
              const TenantTrunks& trunks, telephony::Dial request, Function<void()> on_closed);

  // Also calls f(ended) on the main strand when the call has ended.
  void on_ended_for_metrics(Function<void(const telephony::Ended&)> f) { metrics_ = std::move(f); }

  Handle handle() { return service_.handle(); }
  // Asks the gates one by one, then dials.
  void start(const std::vector<RegisteredGate>& gates);
  void hangup();

 private:
  void ask_gate(size_t index);
  void cancel_gate();
  void on_owner_ended();
  void open_media();
  void try_trunk();
  void on_resolved(size_t attempt, const Result<Addresses>& addresses);
  void dial(const Addresses& addresses);
  void on_trunk_failed(const DialogEnd& ended);
  lib::SocketAddress announced_media(const lib::SocketAddress& trunk) const;
  void on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip);
  void report_answered(Handle port);
  void on_dialog_ended(DialogId id, const DialogEnd& ended);
  void close(const telephony::Ended& ended);
  void close_with_stats(telephony::Ended result);
  void watch_media();
  Result<std::string> answer_offer(std::string_view sdp);
  Status apply_media(const lib::RemoteMedia& remote);

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
  Function<void()> on_closed_;
  Function<void(const telephony::Ended&)> metrics_;
  Provision<telephony::Leg> service_;
  Lease<telephony::LegListener> listener_;
  std::vector<RegisteredGate> gates_;
  Lease<telephony::DialGate> gate_;
  TrunkFailover failover_;
  std::unique_ptr<LegPort> port_;
  Timer media_watch_;
  Timer step_limit_;  // time limit of the pending gate or resolution
  EndWatch listener_watch_;
  EndWatch dialler_watch_;
  // state, main strand
  DialogId dialog_ = 0;
  size_t resolving_ = 0;  // number of the pending resolution; 0: none
  size_t resolutions_ = 0;
  int64_t started_ns_ = 0;
  int64_t answered_ns_ = 0;
  std::string earlier_trunks_;  // why the trunks before the current one failed
  bool hanging_up_ = false;
  bool closed_ = false;
  std::string no_media_;  // why this leg hung up: no media
  // state, shared with the sip thread
  std::mutex media_mutex_;
  lib::LocalMedia local_;  // guarded by media_mutex_, like the next three
  std::string signalling_ip_;
  bool held_ = false;  // by the far end, which may then send no RTP
  int64_t resumed_ns_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
