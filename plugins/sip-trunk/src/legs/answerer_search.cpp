#include "legs/answerer_search.h"

#include <utility>

#include "legs/hangup_cause.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

AnswererSearch::AnswererSearch(const Host& host, const Log& log, AnswererOffers& offers, Events events)
    : host_(host), log_(log), offers_(offers), events_(std::move(events)), timeout_(host) {}

void AnswererSearch::start(std::vector<RegisteredAnswerer> answerers, telephony::Offer call) {
  answerers_ = std::move(answerers);
  call_ = std::move(call);
  ask(0);
}

void AnswererSearch::ask(size_t index) {
  if (is_over_) return;
  if (index == answerers_.size()) return finish({});
  timeout_.after_ms(kMaxAnswererReplyMs, [this, index] {
    log_.warn("an answerer does not reply", {{"answerer", answerers_[index].name}});
    offers_.withdraw(std::exchange(offer_, 0), ended_as("failed", "the call was taken too late"));
    ask_next(index);
  });
  call_.leg = events_.make_leg();
  offer_ = offers_.offer(answerers_[index], call_,
                         [this, index](const Result<telephony::Taken>& reply) { on_reply(index, reply); });
}

void AnswererSearch::on_reply(size_t index, const Result<telephony::Taken>& reply) {
  timeout_.cancel();
  offer_ = 0;
  const std::string& name = answerers_[index].name;
  if (!reply) log_.warn("an answerer failed", {{"answerer", name}, {"why", reply.error().text}});
  if (!reply || (!reply->listener && reply->sip_status == 0)) return ask_next(index);
  log_.info(reply->listener ? "the call is taken" : "the call is refused by an answerer",
            {{"answerer", name}, {"reason", reply->reason}});
  finish(*reply);
}

// In a later task, because a reply may come before offer() returns.
void AnswererSearch::ask_next(size_t index) {
  post(host_, kMainStrand, alive_.bind([this, index] { ask(index + 1); }));
}

void AnswererSearch::cancel(const telephony::Ended& how) {
  is_over_ = true;
  timeout_.cancel();
  offers_.withdraw(std::exchange(offer_, 0), how);
}

void AnswererSearch::finish(const telephony::Taken& taken) {
  if (std::exchange(is_over_, true)) return;
  timeout_.cancel();
  events_.done(taken);
}

}  // namespace patchbay::sip_trunk
