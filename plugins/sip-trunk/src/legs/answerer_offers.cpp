#include "legs/answerer_offers.h"

#include <patchbay/strand.h>

#include <utility>

namespace patchbay::sip_trunk {

int64_t AnswererOffers::offer(const RegisteredAnswerer& answerer, const telephony::Offer& call,
                              OnReply on_reply) {
  const int64_t id = ++last_id_;
  Pending& pending = pending_[id];
  pending.answerer = Lease<telephony::Answerer>::open(host_, answerer.instance);
  pending.on_reply = std::move(on_reply);
  const Log log = Log(host_).with(call.call_id);
  pending.answerer.call(
      telephony::Answerer::offer, call,
      [this, id, log](const Result<telephony::Taken>& reply) { this->on_reply(id, log, reply); });
  return id;
}

void AnswererOffers::withdraw(int64_t id, telephony::Ended how) {
  const auto at = pending_.find(id);
  if (at == pending_.end()) return;
  at->second.on_reply = {};
  at->second.how = std::move(how);
}

// Forgets the offer in a later task, because its lease is calling this.
void AnswererOffers::on_reply(int64_t id, const Log& log, const Result<telephony::Taken>& reply) {
  post(host_, kMainStrand, alive_.bind([this, id] { pending_.erase(id); }));
  Pending& pending = pending_.at(id);
  const OnReply on_reply = std::move(pending.on_reply);
  if (on_reply) return on_reply(reply);
  if (!reply || !reply->listener) return;
  log.info("an answerer takes a call that it cannot have any more");
  Lease<telephony::LegListener>::open(host_, reply->listener)
      .send(telephony::LegListener::ended, pending.how);
}

}  // namespace patchbay::sip_trunk
