#include "stack/user_agent.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "registrar/read_register.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

void init_sofia_once() {
  static const bool done = [] {
    su_init();
    // Its own log would go to stderr, past the host's log and unescaped.
    su_log_redirect(nullptr, read_sofia_log, nullptr);
    su_log_set_level(nullptr, 1);
    return true;
  }();
  (void)done;
}

// Returns whether this release leaks a reference to each 100 that it passes on (3 KB each).
bool is_leaky_of_100() {
  static const bool leaky = std::string_view(nua_version).find("1.12.11") != std::string_view::npos;
  return leaky;
}

}  // namespace

UserAgent::UserAgent(SipStack::Options options)
    : options_(std::move(options)),
      addresses_(options_),
      filter_([this](const Status& filtered) {
        filtered_ = filtered.ok();
        if (options_.on_filter_changed) options_.on_filter_changed(filtered);
      }),
      register_screen_(options_.challenges ? std::make_unique<RegisterScreen>(options_.challenges) : nullptr),
      admission_(options_, port_, filter_, dialogs_, registers_, register_screen_.get(),
                 [this](StoredDialog orphan) { hang_up_orphan(std::move(orphan)); }) {}

UserAgent::~UserAgent() { stop(); }

std::string UserAgent::contact_for(const lib::SocketAddress& target, Transport transport) const {
  return addresses_.contact_for(target, transport, port_);
}

std::string UserAgent::contact_uri(const lib::SocketAddress& target, Transport transport,
                                   const std::string& user) const {
  return addresses_.contact_uri(target, transport, port_, user);
}

Status UserAgent::start() {
  init_sofia_once();
  PB_TRY(addresses_.choose());
  thread_ = std::thread([this] { run(); });
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(kMaxStartMs),
                    [this] { return state_ != State::starting; });
  if (state_ == State::running) return {};
  lock.unlock();
  if (thread_.joinable()) thread_.join();
  return {Code::unavailable,
          "SIP cannot listen on " + options_.listen_ip + ":" + std::to_string(options_.listen_port)};
}

void UserAgent::stop() {
  const std::lock_guard one_at_a_time(stop_mutex_);
  if (!thread_.joinable()) return;
  (void)post([this] { begin_stop(); });
  thread_.join();
}

Status UserAgent::request(TrunkRequest request, OnTrunkAnswer done) {
  const bool posted = post([this, request = std::move(request), done = std::move(done)] {
    if (stopping_) return;
    const DialogId id = ++last_id_;
    auto& sender = requests_[id] = std::make_unique<RequestSender>(*this, id, request, done);
    sender->start();
    reap(id);
  });
  return posted ? Status() : Status(Error{Code::unavailable, "the SIP stack is stopped"});
}

void UserAgent::hang_up_stored(StoredDialog dialog, TrunkAccess trunk) {
  (void)post([this, dialog = std::move(dialog), trunk = std::move(trunk)] {
    if (!stopping_) start_bye(dialog, trunk, nullptr);
  });
}

// Later, because this is called while sofia-sip parses the answer, which is repeated until BYE arrives.
void UserAgent::hang_up_orphan(StoredDialog orphan) {
  (void)post([this, orphan = std::move(orphan)] {
    const auto is_same = [&](const auto& bye) { return bye.second->dialog().call_id == orphan.call_id; };
    if (!stopping_ && std::none_of(bye_senders_.begin(), bye_senders_.end(), is_same))
      start_bye(orphan, {}, nullptr);
  });
}

void UserAgent::start_bye(StoredDialog dialog, TrunkAccess trunk, const sip_t* challenge) {
  const DialogId id = ++last_id_;
  auto& bye = bye_senders_[id] = std::make_unique<ByeSender>(*this, id, std::move(dialog), std::move(trunk));
  bye->start(challenge);
  reap(id);
}

bool UserAgent::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::running) return false;
  tasks_.push_back(std::move(task));
  // Under the lock, because run() takes the lock before it destroys the root.
  su_msg_r message = SU_MSG_R_INIT;
  if (su_msg_create(message, su_root_task(root_), su_task_null, on_wake, 0) == 0) su_msg_send(message);
  return true;
}

void UserAgent::on_wake(UserAgent* self, su_msg_r, su_msg_arg_t*) { self->drain_tasks(); }

void UserAgent::drain_tasks() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

void UserAgent::set_state(State state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  changed_.notify_all();
}

void UserAgent::run() {
  set_request_guard(&admission_);
  set_message_listener(options_.messages);
  root_ = su_root_create(this);
  if (root_ != nullptr && open()) {
    su_root_run(root_);
    set_state(State::stopped);
    drain_tasks();  // so that calls dialled at the last moment get their on_ended
    nua_destroy(std::exchange(nua_, nullptr));
    if (stop_timer_ != nullptr) su_timer_destroy(stop_timer_);
    if (watch_timer_ != nullptr) su_timer_destroy(watch_timer_);
  } else {
    set_state(State::failed);
  }
  if (root_ != nullptr) su_root_destroy(root_);
}

bool UserAgent::open() {
  su_root_threading(root_, 0);  // runs nua's task on this thread too
  const std::string url = addresses_.listen_url(), tls_url = addresses_.listen_tls_url();
  if (options_.certificates) tls_.use(options_.certificates);
  const SofiaTls::Capture capture(tls_);
  nua_ = nua_create(root_, on_nua, this, NUTAG_URL(url.c_str()),
                    // Sofia-sip finds no certificates there; SofiaTls has them.
                    TAG_IF(options_.tls, NUTAG_SIPS_URL(tls_url.c_str())),
                    NUTAG_CERTIFICATE_DIR("/nonexistent"), TPTAG_TLS_VERIFY_POLICY(TPTLS_VERIFY_OUT),
                    SIPTAG_USER_AGENT_STR(options_.user_agent.c_str()),
                    // Disables sofia-sip's own redirects, retries and negotiation.
                    NUTAG_RETRY_COUNT(0), NUTAG_MEDIA_ENABLE(0), NUTAG_AUTOANSWER(0), NUTAG_AUTOALERT(0),
                    NUTAG_INVITE_TIMER(0), NUTAG_SESSION_TIMER(0),
                    NUTAG_OUTBOUND("no-outbound no-natify no-options-keepalive no-validate"),
                    SIPTAG_ALLOW_STR(kAllowedMethods),
                    SIPTAG_SUPPORTED_STR(options_.on_call ? "timer, 100rel, replaces" : "timer, 100rel"),
                    NUTAG_APPL_METHOD("INVITE, BYE, UPDATE, INFO, REFER"), SIPTAG_ALLOW_EVENTS(nullptr),
                    TAG_IF(register_screen_ != nullptr, NUTAG_ALLOW("REGISTER")),
                    TAG_IF(register_screen_ != nullptr, NUTAG_APPL_METHOD("REGISTER")),
                    // Dialog sends the ACK. It also sees 100, which ends the silence timeout.
                    NUTAG_AUTOACK(0), NTATAG_PASS_100(1), NTATAG_SIP_T1X64(options_.transaction_timeout_ms),
                    NTATAG_MCLASS(screening_parser()),
                    // Ignores errors in headers that this plugin does not use (session timers, events).
                    NTATAG_BAD_RESP_MASK(sip_mask_response | sip_mask_ua),
                    // Never switches a long request to TCP.
                    NTATAG_UDP_MTU(65535), NTATAG_MAXSIZE(65536), TPTAG_KEEPALIVE(options_.tcp_keepalive_ms),
                    TPTAG_TIMEOUT(kTcpConnectTimeoutMs), TPTAG_LOG(options_.messages != nullptr), TAG_END());
  if (nua_ == nullptr) return false;
  nua_get_params(nua_, TAG_ANY(), TAG_END());  // on_parameters() reads the port
  return true;
}

void UserAgent::on_parameters(const tagi_t* tags) {
  port_ = options_.listen_port;
  const sip_contact_t* contact = nullptr;
  tl_gets(tags, NTATAG_CONTACT_REF(contact), TAG_END());
  if (port_ == 0 && contact != nullptr) {
    const char* port = contact->m_url->url_port;
    port_ = port != nullptr ? static_cast<uint16_t>(std::strtoul(port, nullptr, 10)) : uint16_t{5060};
  }
  attach_peer_filter();
  watch_connections();
  set_state(State::running);
}

StackCounts UserAgent::counts() const noexcept {
  StackCounts all{admission_.foreign(), admission_.refused_by_rate(), tcp_peer_closed_, tcp_idle_,
                  tcp_excess_};
  if (register_screen_) {
    all.registers_challenged = register_screen_->challenged();
    all.registers_dropped = register_screen_->dropped();
  }
  return all;
}

void UserAgent::on_nua(nua_event_t event, int status, const char* phrase, nua_t*, UserAgent* self,
                       nua_handle_t* handle, HandleOwner* owner, const sip_t* sip, tagi_t tags[]) {
  if (event == nua_r_get_params) return self->on_parameters(tags);
  if (event == nua_r_shutdown) {
    if (status >= 200) su_root_break(self->root_);
    return;
  }
  const bool is_trying = event == nua_r_invite && status == 100 && sip != nullptr &&
                         sip->sip_status != nullptr && sip->sip_status->st_status == 100 &&
                         !nta_sip_is_internal(sip);
  if (is_trying && is_leaky_of_100()) {
    if (msg_t* message = nua_current_request(self->nua_)) msg_destroy(message);
  }
  if (owner == nullptr) return self->on_unsolicited(event, status, handle, sip);
  const DialogId id = owner->id();
  owner->on_event(event, status, phrase, handle, sip, tags);
  self->reap(id);
}

// Handles requests that belong to no dialog. Sofia-sip has answered all but INVITE, and leaves the handle to
// us.
void UserAgent::on_unsolicited(nua_event_t event, int status, nua_handle_t* handle, const sip_t* sip) {
  if (handle == nullptr || handle == nua_default(nua_) || !nua_event_is_incoming_request(event)) return;
  const bool is_call = event == nua_i_invite && status < 200 && sip != nullptr;
  if (is_call && options_.on_call && !stopping_) return on_call(handle, *sip);
  const bool is_register = event == nua_i_register && status < 200 && sip != nullptr;
  if (is_register && register_screen_ && !stopping_) return on_register(handle, *sip);
  if (event == nua_i_invite && status < 200) nua_respond(handle, SIP_480_TEMPORARILY_UNAVAILABLE, TAG_END());
  if ((event == nua_i_info || event == nua_i_refer) && status < 200)
    nua_respond(handle, SIP_481_NO_CALL, NUTAG_WITH_THIS(nua_), TAG_END());
  if (event == nua_i_cancel || event == nua_i_ack || event == nua_i_bye) return;
  nua_handle_destroy(handle);
}

void UserAgent::on_register(nua_handle_t* handle, const sip_t& request) {
  const RegisterId id = ++last_id_;
  registers_[id] = std::make_unique<RegisterExchange>(id, nua_, handle, live_handles_);
  options_.on_register(id, read_register(request, source_of(nua_current_request(nua_))));
}

void UserAgent::answer_register(RegisterId id, RegisterReply reply) {
  (void)post([this, id, reply = std::move(reply)] {
    const auto found = registers_.find(id);
    if (found == registers_.end()) return;
    found->second->answer(reply);
    registers_.erase(found);
  });
}

void UserAgent::reap(DialogId id) {
  const auto dialog = dialogs_.find(id);
  const auto bye = bye_senders_.find(id);
  if (dialog != dialogs_.end() && dialog->second->is_closed()) {
    dialogs_.erase(dialog);
  } else if (bye != bye_senders_.end() && bye->second->is_closed()) {
    if (options_.log != nullptr) options_.log->dialog_down(bye->second->dialog(), bye->second->confirmed());
    bye_senders_.erase(bye);
  } else {
    const auto request = requests_.find(id);
    if (request != requests_.end() && request->second->is_closed()) requests_.erase(request);
    return;
  }
  if (stopping_ && dialogs_.empty() && bye_senders_.empty()) finish_stop();
}

void UserAgent::begin_stop() {
  if (std::exchange(stopping_, true)) return;
  requests_.clear();
  registers_.clear();
  for (auto& [id, dialog] : dialogs_) dialog->hangup();
  if (dialogs_.empty() && bye_senders_.empty()) return finish_stop();
  stop_timer_ = su_timer_create(su_root_task(root_), su_duration_t{kStopGraceMs});
  su_timer_set(stop_timer_, on_stop_timer, nullptr);
}

void UserAgent::on_stop_timer(UserAgent* self, su_timer_t*, HandleOwner*) { self->finish_stop(); }

void UserAgent::finish_stop() {
  if (stop_timer_ != nullptr) su_timer_reset(stop_timer_);
  dialogs_.clear();
  bye_senders_.clear();
  nua_shutdown(nua_);
}

}  // namespace patchbay::sip_trunk
