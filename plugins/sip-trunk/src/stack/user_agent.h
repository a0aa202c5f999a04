// UserAgent: the thread that runs sofia-sip, and all dialogs. Private functions run on that thread unless
// noted otherwise. The functions for calls are in user_agent_calls.cpp, those for peers and their connections
// in user_agent_peers.cpp.
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "dialogs/bye_sender.h"
#include "dialogs/inbound_dialog.h"
#include "dialogs/outbound_dialog.h"
#include "registrar/register_exchange.h"
#include "registrar/register_screen.h"
#include "stack/own_addresses.h"
#include "stack/request_admission.h"
#include "stack/request_sender.h"
#include "stack/sip_limits.h"
#include "stack/sip_peer_filter.h"
#include "stack/sip_stack.h"
#include "stack/sofia.h"
#include "stack/tcp_watch.h"
#include "tls/sofia_tls.h"

namespace patchbay::sip_trunk {

class UserAgent final {
 public:
  explicit UserAgent(SipStack::Options options);
  ~UserAgent();

  // Any thread but the sip thread; hangup() on any. See SipStack.
  Status start();
  void stop();
  Result<DialogId> dial(Invite invite, DialogListener& listener);
  void hangup(DialogId id, std::string cancel_reason);
  Status take(DialogId id, CallOwner owner, DialogListener& listener);
  void ring(DialogId id, int status, std::string sdp);
  void answer(DialogId id, std::string sdp);
  void refuse(DialogId id, Refusal refusal);
  void leave(DialogId id, int64_t bye_after_ms);
  void reoffer(DialogId id, std::string sdp);
  void refer(DialogId id, std::string uri, DialogId replaced);
  void report_refer(DialogId id, int status);
  Status request(TrunkRequest request, OnTrunkAnswer done);
  void hang_up_stored(StoredDialog dialog, TrunkAccess trunk);
  void set_allowed_peers(std::vector<lib::SocketAddress> peers);
  void set_certificates(std::shared_ptr<const TlsCertificates> certificates);
  void answer_register(RegisterId id, RegisterReply reply);
  void set_realms(std::set<std::string> realms);
  void keep_alive(std::vector<lib::SocketAddress> datagrams, std::vector<lib::SocketAddress> connected);
  uint16_t port() const noexcept { return port_; }
  uint16_t tls_port() const noexcept { return options_.tls ? options_.tls_port : uint16_t{0}; }
  size_t live_handles() const noexcept { return live_handles_; }
  StackCounts counts() const noexcept;
  bool is_filtered() const noexcept { return filtered_; }

  // For Dialog and ByeSender, on the sip thread.
  const SipStack::Options& options() const noexcept { return options_; }
  uint32_t transaction_timeout_ms() const noexcept { return options_.transaction_timeout_ms; }
  // Returns the Contact for requests to `target`; empty: sofia-sip's own.
  std::string contact_for(const lib::SocketAddress& target, Transport transport) const;
  // "<sip:user@192.0.2.1:5060>": our address for requests of `target`; "<sip:192.0.2.1:5060>" without a user.
  std::string contact_uri(const lib::SocketAddress& target, Transport transport,
                          const std::string& user) const;
  void allow(const lib::SocketAddress& peer) { filter_.allow(peer); }
  void forbid(const lib::SocketAddress& peer) { filter_.forbid(peer); }
  // Call it before requests to a URL of numeric_url(). Code::denied: its certificate is for another host.
  Status use_hop(const std::string& url);
  // See SofiaTls::failure().
  std::string tls_failure(const lib::SocketAddress& peer) const { return tls_.failure(peer); }
  void start_bye(StoredDialog dialog, TrunkAccess trunk, const sip_t* challenge);
  bool is_stopping() const noexcept { return stopping_; }
  nua_t* nua() noexcept { return nua_; }
  su_root_t* root() noexcept { return root_; }
  std::atomic<size_t>& handle_count() noexcept { return live_handles_; }
  // Deletes the dialog or ByeSender `id` if it is closed. No function of it may be on the call stack.
  void reap(DialogId id);

 private:
  enum class State { starting, running, failed, stopped };

  void run();
  bool open();
  bool post(std::function<void()> task);
  void drain_tasks();
  void begin_stop();
  void finish_stop();
  void set_state(State state);

  static void on_nua(nua_event_t event, int status, const char* phrase, nua_t* nua, UserAgent* self,
                     nua_handle_t* handle, HandleOwner* owner, const sip_t* sip, tagi_t tags[]);
  static void on_wake(UserAgent* self, su_msg_r message, su_msg_arg_t* argument);
  static void on_stop_timer(UserAgent* self, su_timer_t* timer, HandleOwner* unused);
  static void on_watch_timer(UserAgent* self, su_timer_t* timer, HandleOwner* unused);
  void attach_peer_filter();
  void watch_connections();
  void on_unsolicited(nua_event_t event, int status, nua_handle_t* handle, const sip_t* sip);
  void on_call(nua_handle_t* handle, const sip_t& invite);
  std::variant<DialogId, Refusal> find_replaced(const sip_t& invite) const;
  void on_register(nua_handle_t* handle, const sip_t& request);
  void with_inbound(DialogId id, std::function<void(InboundDialog&)> act);
  void on_parameters(const tagi_t* tags);
  void on_tls_failed(const lib::SocketAddress& peer);
  void hang_up_orphan(StoredDialog orphan);

  SipStack::Options options_;  // constant once the thread runs
  OwnAddresses addresses_;     // likewise
  std::thread thread_;
  std::mutex stop_mutex_;  // one stop() at a time

  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  State state_ = State::starting;
  std::vector<std::function<void()>> tasks_;

  std::atomic<uint16_t> port_{0};
  std::atomic<size_t> live_handles_{0};
  std::atomic<uint64_t> tcp_peer_closed_{0}, tcp_idle_{0}, tcp_excess_{0};
  std::atomic<DialogId> last_id_{0};
  std::atomic<bool> filtered_{false};

  su_root_t* root_ = nullptr;
  nua_t* nua_ = nullptr;
  su_timer_t* stop_timer_ = nullptr;
  su_timer_t* watch_timer_ = nullptr;
  bool stopping_ = false;
  SipPeerFilter filter_;
  std::unique_ptr<TcpWatch> watch_;
  std::vector<lib::SocketAddress> tcp_peers_;
  SofiaTls tls_{[this](const lib::SocketAddress& peer) { on_tls_failed(peer); }};
  RequestAdmission::Dialogs dialogs_;
  std::map<DialogId, std::unique_ptr<ByeSender>> bye_senders_;
  std::map<DialogId, std::unique_ptr<RequestSender>> requests_;
  std::unique_ptr<RegisterScreen> register_screen_;  // null: it is no registrar
  RequestAdmission::Registers registers_;
  RequestAdmission admission_;
  std::vector<lib::SocketAddress> connected_;  // connections that may be silent
  int udp_socket_ = -1;
};

}  // namespace patchbay::sip_trunk
