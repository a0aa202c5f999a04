#include "stack/request_sender.h"

#include <patchbay/text.h>

#include <chrono>
#include <utility>

#include "dialogs/dialog_route.h"
#include "dialogs/digest.h"
#include "stack/sip_limits.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {
namespace {

bool is_same(const char* a, const char* b) {
  return equals_ignoring_case(a != nullptr ? a : "", b != nullptr ? b : "");
}

// The registrar lists all contacts of the address of record, perhaps of other servers with the same user.
// Behind a NAT it may show ours with another address, so the only one with our user counts, too.
int64_t granted_sec(const sip_t& answer, const std::string& ours) {
  su_home_t home[1] = {SU_HOME_INIT(home)};
  const sip_contact_t* mine = sip_contact_make(home, ours.c_str());
  const sip_contact_t* found = nullptr;
  bool is_exact = false;
  int with_user = 0;
  for (const sip_contact_t* each = answer.sip_contact; each != nullptr && mine != nullptr;
       each = each->m_next) {
    if (!is_same(each->m_url->url_user, mine->m_url->url_user)) continue;
    ++with_user;
    const bool matches = is_same(each->m_url->url_host, mine->m_url->url_host) &&
                         is_same(each->m_url->url_port, mine->m_url->url_port);
    if (!is_exact) found = each;
    is_exact = is_exact || matches;
  }
  su_home_deinit(home);
  if (answer.sip_contact != nullptr && !is_exact && with_user != 1) return 0;
  if (found != nullptr && found->m_expires != nullptr) return std::strtol(found->m_expires, nullptr, 10);
  return answer.sip_expires != nullptr ? static_cast<int64_t>(answer.sip_expires->ex_delta) : -1;
}

}  // namespace

RequestSender::RequestSender(UserAgent& agent, DialogId id, TrunkRequest request, OnTrunkAnswer done)
    : agent_(agent),
      id_(id),
      request_(std::move(request)),
      done_(std::move(done)),
      sequence_(request_.sequence) {}

RequestSender::~RequestSender() {
  if (timer_ != nullptr) su_timer_destroy(timer_);
  agent_.forbid(request_.target.address);
}

void RequestSender::start() {
  agent_.allow(request_.target.address);
  timer_ = su_timer_create(su_root_task(agent_.root()), request_.timeout_ms);
  if (timer_ == nullptr) return finish(0, "out of memory");
  su_timer_set_interval(timer_, on_timer_event, this, request_.timeout_ms);
  send();
}

void RequestSender::send() {
  const Transport transport = request_.trunk.transport;
  const std::string hop = numeric_url(request_.target.address, transport, request_.target.host);
  if (const Status usable = agent_.use_hop(hop); !usable) return finish(0, usable.error().text);
  handle_ = NuaHandle(agent_.nua(), this, agent_.handle_count());
  if (handle_.get() == nullptr) return finish(0, "out of memory");
  const std::string sequence = std::to_string(sequence_++) + " " + request_.method;
  if (!request_.contact_user.empty())
    contact_ = agent_.contact_uri(request_.target.address, transport, request_.contact_user);
  const std::string expires = std::to_string(request_.expires_sec);
  nua_method(
      handle_.get(), NUTAG_METHOD(request_.method.c_str()), NUTAG_URL(request_.uri.c_str()),
      NUTAG_PROXY(hop.c_str()), SIPTAG_FROM_STR(request_.from.c_str()), SIPTAG_TO_STR(request_.to.c_str()),
      SIPTAG_CALL_ID_STR(request_.call_id.c_str()), SIPTAG_CSEQ_STR(sequence.c_str()),
      TAG_IF(!contact_.empty(), SIPTAG_CONTACT_STR(contact_.c_str())),
      TAG_IF(request_.expires_sec >= 0, SIPTAG_EXPIRES_STR(expires.c_str())),
      TAG_IF(!authorization_.empty(), SIPTAG_AUTHORIZATION_STR(authorization_.c_str())),
      TAG_IF(!proxy_authorization_.empty(), SIPTAG_PROXY_AUTHORIZATION_STR(proxy_authorization_.c_str())),
      TAG_END());
}

bool RequestSender::answer_challenge(const sip_t& response) {
  if (response.sip_status == nullptr || credentials_sent_ == kMaxCredentialTries) return false;
  std::string& mine = response.sip_status->st_status == 407 ? proxy_authorization_ : authorization_;
  if (!mine.empty() && !is_stale(response)) {
    refusal_ = "the trunk does not accept the username or password";
    return false;
  }
  auto credentials = digest_answer(response, request_.trunk, {request_.method, request_.uri, ""});
  if (!credentials) {
    refusal_ = credentials.error().text;
    return false;
  }
  mine = *std::move(credentials);
  ++credentials_sent_;
  return true;
}

void RequestSender::on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle,
                             const sip_t* sip, tagi_t[]) {
  if (event != nua_r_method || handle != handle_.get() || status < 200 || closed_) return;
  const std::string text = printable_ascii(phrase != nullptr ? phrase : "", kMaxShownBytes);
  if (sip == nullptr || nta_sip_is_internal(sip)) {
    const std::string why = agent_.tls_failure(request_.target.address);
    return finish(0, request_.trunk.transport == Transport::tls && !why.empty() ? why
                     : status == 408                                            ? "no answer"
                                                                                : "it cannot be reached");
  }
  if ((status == 401 || status == 407) && answer_challenge(*sip)) return send();
  finish(status, refusal_.empty() ? text : refusal_, sip);
}

void RequestSender::on_unreachable(const lib::SocketAddress& peer, const std::string& why) {
  if (request_.trunk.transport == Transport::tls && request_.target.address == peer) finish(0, why);
}

void RequestSender::on_timer() { finish(0, "no answer"); }

void RequestSender::on_timer_event(UserAgent* agent, su_timer_t*, HandleOwner* self) {
  const DialogId id = self->id();
  self->on_timer();
  agent->reap(id);
}

void RequestSender::finish(int status, std::string text, const sip_t* answer) {
  if (std::exchange(closed_, true)) return;
  TrunkAnswer result{status, std::move(text), sequence_, -1, -1};
  if (answer != nullptr) {
    result.expires_sec = granted_sec(*answer, contact_);
    if (answer->sip_min_expires != nullptr)
      result.min_expires_sec = static_cast<int64_t>(answer->sip_min_expires->me_delta);
  }
  done_(result);
}

}  // namespace patchbay::sip_trunk
