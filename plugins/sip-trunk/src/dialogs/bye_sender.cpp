#include "dialogs/bye_sender.h"

#include <chrono>
#include <utility>

#include "dialogs/dialog_route.h"
#include "dialogs/digest.h"
#include "now_ms.h"
#include "stack/sip_limits.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {
namespace {

constexpr uint32_t kSequenceStep = 1000;  // added to CSeq, because the dialog may have used higher ones

}  // namespace

ByeSender::ByeSender(UserAgent& agent, DialogId id, StoredDialog dialog, TrunkAccess trunk)
    : agent_(agent), id_(id), dialog_(std::move(dialog)), trunk_(std::move(trunk)) {
  dialog_.sequence += kSequenceStep;
}

ByeSender::~ByeSender() {
  if (timer_ != nullptr) su_timer_destroy(timer_);
  agent_.forbid(next_hop_);
}

void ByeSender::start(const sip_t* challenge) {
  timer_ = su_timer_create(su_root_task(agent_.root()), kByePauseMs);
  give_up_ms_ = now_ms() + agent_.transaction_timeout_ms();
  next_hop_ = hop_of_url(dialog_.next_hop).address;
  agent_.allow(next_hop_);
  closed_ = timer_ == nullptr || !next_hop_.valid() || !agent_.use_hop(dialog_.next_hop) ||
            (challenge != nullptr && !answer_challenge(*challenge));
  if (!closed_) send();
}

void ByeSender::send() {
  handle_ = NuaHandle(agent_.nua(), this, agent_.handle_count());
  if (handle_.get() == nullptr) {
    closed_ = true;
    return;
  }
  const std::string sequence = std::to_string(++dialog_.sequence) + " BYE";
  const bool has_credentials = !credentials_.empty();
  nua_method(handle_.get(), NUTAG_METHOD("BYE"), NUTAG_URL(dialog_.target.c_str()),
             NUTAG_PROXY(dialog_.next_hop.c_str()), SIPTAG_FROM_STR(dialog_.from.c_str()),
             SIPTAG_TO_STR(dialog_.to.c_str()), SIPTAG_CALL_ID_STR(dialog_.call_id.c_str()),
             SIPTAG_CSEQ_STR(sequence.c_str()),
             TAG_IF(!dialog_.routes.empty(), SIPTAG_ROUTE_STR(dialog_.routes.c_str())),
             TAG_IF(has_credentials && by_proxy_, SIPTAG_PROXY_AUTHORIZATION_STR(credentials_.c_str())),
             TAG_IF(has_credentials && !by_proxy_, SIPTAG_AUTHORIZATION_STR(credentials_.c_str())),
             TAG_END());
}

bool ByeSender::answer_challenge(const sip_t& response) {
  if (std::exchange(challenged_, true) || response.sip_status == nullptr) return false;
  auto credentials = digest_answer(response, trunk_, {"BYE", dialog_.target, ""});
  if (!credentials) return false;
  credentials_ = *std::move(credentials);
  by_proxy_ = response.sip_status->st_status == 407;
  return true;
}

void ByeSender::on_event(nua_event_t event, int status, const char*, nua_handle_t* handle, const sip_t* sip,
                         tagi_t[]) {
  if (event != nua_r_method || handle != handle_.get() || status < 200) return;
  const bool answered = sip != nullptr && !nta_sip_is_internal(sip);
  if (answered && (status == 401 || status == 407) && answer_challenge(*sip)) return send();
  if (answered || now_ms() >= give_up_ms_) {
    confirmed_ = answered && confirms_end(status);
    closed_ = true;
    return;
  }
  su_timer_set_interval(timer_, on_timer_event, this, kByePauseMs);
}

void ByeSender::on_timer() { send(); }

void ByeSender::on_timer_event(UserAgent* agent, su_timer_t*, HandleOwner* self) {
  const DialogId id = self->id();
  self->on_timer();
  agent->reap(id);
}

}  // namespace patchbay::sip_trunk
