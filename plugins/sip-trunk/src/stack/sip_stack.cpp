#include "stack/sip_stack.h"

#include "dialogs/invite.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {

SipStack::SipStack(std::unique_ptr<UserAgent> agent) : agent_(std::move(agent)) {}

SipStack::~SipStack() { stop(); }

Result<std::unique_ptr<SipStack>> SipStack::start(const Options& options) {
  auto agent = std::make_unique<UserAgent>(options);
  PB_TRY(agent->start());
  return std::unique_ptr<SipStack>(new SipStack(std::move(agent)));
}

uint16_t SipStack::port() const noexcept { return agent_->port(); }

uint16_t SipStack::tls_port() const noexcept { return agent_->tls_port(); }

void SipStack::set_certificates(std::shared_ptr<const TlsCertificates> certificates) {
  agent_->set_certificates(std::move(certificates));
}

Result<DialogId> SipStack::dial(OutboundCall call, DialogListener& listener) {
  if (call.targets.empty()) {
    const uint16_t port = call.trunk.port != 0 ? call.trunk.port : default_port(call.trunk.transport);
    const auto numeric = lib::SocketAddress::parse(call.trunk.host, port);
    if (!numeric) return {Code::invalid, "the name of the trunk's host is not resolved"};
    call.targets.emplace_back(*numeric);
  }
  auto made = call.contact ? make_contact_invite(std::move(call)) : make_invite(std::move(call));
  PB_TRY_VALUE(Invite invite, std::move(made));
  return agent_->dial(std::move(invite), listener);
}

Status SipStack::take(DialogId id, CallOwner owner, DialogListener& listener) {
  return agent_->take(id, std::move(owner), listener);
}

void SipStack::ring(DialogId id, int status, std::string sdp) { agent_->ring(id, status, std::move(sdp)); }

void SipStack::answer(DialogId id, std::string sdp) { agent_->answer(id, std::move(sdp)); }

void SipStack::reoffer(DialogId id, std::string sdp) { agent_->reoffer(id, std::move(sdp)); }

void SipStack::refer(DialogId id, std::string uri, DialogId replaced) {
  agent_->refer(id, std::move(uri), replaced);
}

void SipStack::report_refer(DialogId id, int status) { agent_->report_refer(id, status); }

void SipStack::leave(DialogId id, int64_t bye_after_ms) { agent_->leave(id, bye_after_ms); }

void SipStack::refuse(DialogId id, Refusal refusal) { agent_->refuse(id, std::move(refusal)); }

void SipStack::hang_up_stored(StoredDialog dialog, TrunkAccess trunk) {
  agent_->hang_up_stored(std::move(dialog), std::move(trunk));
}

Status SipStack::request(TrunkRequest request, OnTrunkAnswer done) {
  return agent_->request(std::move(request), std::move(done));
}

void SipStack::set_allowed_peers(std::vector<lib::SocketAddress> peers) {
  agent_->set_allowed_peers(std::move(peers));
}

void SipStack::hangup(DialogId id, std::string cancel_reason) {
  agent_->hangup(id, std::move(cancel_reason));
}

void SipStack::answer_register(RegisterId id, RegisterReply reply) {
  agent_->answer_register(id, std::move(reply));
}

void SipStack::set_realms(std::set<std::string> realms) { agent_->set_realms(std::move(realms)); }

void SipStack::keep_alive(std::vector<lib::SocketAddress> datagrams,
                          std::vector<lib::SocketAddress> connected) {
  agent_->keep_alive(std::move(datagrams), std::move(connected));
}

void SipStack::stop() { agent_->stop(); }

bool SipStack::is_filtered() const noexcept { return agent_->is_filtered(); }

size_t SipStack::live_handles() const noexcept { return agent_->live_handles(); }

StackCounts SipStack::counts() const noexcept { return agent_->counts(); }

}  // namespace patchbay::sip_trunk
