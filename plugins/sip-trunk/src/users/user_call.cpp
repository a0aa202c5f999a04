#include "users/user_call.h"

#include <algorithm>
#include <utility>

#include "legs/hangup_cause.h"
#include "stack/sip_limits.h"
#include "users/fork_result.h"

namespace patchbay::sip_trunk {

using telephony::Leg;
using telephony::LegListener;

// The call at one contact.
struct UserCall::Fork {
  Fork(const Host& host, const ContactDirectory::Entry& entry)
      : name(entry.contact.name),
        contact(Lease<telephony::Contact>::open(host, entry.contact.contact)),
        listener(host) {}

  void hangup(const telephony::Hangup& why) {
    if (leg) leg.send(Leg::hangup, why);
    stop = why;
  }

  const std::string name;
  Lease<telephony::Contact> contact;
  Provision<LegListener> listener;
  Lease<Leg> leg;
  telephony::Hangup stop{};  // why it must not ring any more; its reason is empty while it may
  telephony::Ended ended{};
  bool is_over = false;
};

UserCall::UserCall(const Host& host, telephony::DialUser request,
                   std::vector<ContactDirectory::Entry> contacts, Function<void()> on_closed)
    : host_(host),
      request_(std::move(request)),
      log_(Log(host).with(request_.correlation)),
      on_closed_(std::move(on_closed)),
      service_(host),
      listener_(Lease<LegListener>::open(host, request_.listener)),
      timeout_(host),
      listener_watch_(host, request_.listener, [this] { on_owner_ended(); }),
      dialler_watch_(host, calling_plugin(host), [this] { on_owner_ended(); }) {
  for (const ContactDirectory::Entry& entry : contacts) forks_.push_back(std::make_unique<Fork>(host, entry));
  provide();
}

UserCall::~UserCall() = default;

void UserCall::provide() {
  const auto refuse = [](const auto&) -> Result<Empty> {
    return {Code::conflict, "the call does not come in, it is dialled"};
  };
  service_
      .on(Leg::hangup,
          [this](const telephony::Hangup& why) -> Result<Empty> {
            hangup(why.reason);
            return Empty{};
          })
      .on(Leg::answer, refuse)
      .on(Leg::ring, refuse)
      .on(Leg::reject, refuse)
      .on(Leg::transfer,
          [](const telephony::Transfer&) -> Result<telephony::Transferred> {
            return {Code::unsupported, "a user's contact does not transfer calls"};
          })
      .on(Leg::hold,
          [this](const telephony::Hold& request, Reply<Empty> reply) {
            if (winner_ == nullptr) return reply(Error{Code::conflict, "the call is not answered"});
            winner_->leg.call(Leg::hold, request,
                              [reply = std::move(reply)](const Result<Empty>& done) mutable { reply(done); });
          })
      .on(Leg::send_digits, [this](const telephony::Digits& request, Reply<Empty> reply) {
        if (winner_ == nullptr) return reply(Error{Code::conflict, "the call is not answered"});
        winner_->leg.call(Leg::send_digits, request,
                          [reply = std::move(reply)](const Result<Empty>& done) mutable { reply(done); });
      });
}

void UserCall::start() {
  started_ns_ = host_.mono_ns();
  log_.info("ringing a user", {{"user", request_.user}, {"contacts", forks_.size()}});
  timeout_.after_ms(std::max(kMinRingMs, request_.ring_timeout_ms) + kForkGraceMs,
                    [this] { hangup("rang out"); });
  int64_t number = 0;
  for (const auto& fork : forks_) ring(*fork, ++number);
}

void UserCall::ring(Fork& fork, int64_t number) {
  fork.listener
      .on(LegListener::progress,
          [this](const telephony::Progress& progress) -> Result<Empty> {
            on_progress(progress);
            return Empty{};
          })
      .on(LegListener::answered,
          [this, &fork](const telephony::Answered& answered) -> Result<Empty> {
            on_answered(fork, answered);
            return Empty{};
          })
      .on(LegListener::digit,
          [this, &fork](const telephony::Digit& digit) -> Result<Empty> {
            if (&fork == winner_) listener_.send(LegListener::digit, digit);
            return Empty{};
          })
      .on(LegListener::ended, [this, &fork](const telephony::Ended& ended) -> Result<Empty> {
        on_ended(fork, ended);
        return Empty{};
      });
  telephony::RingContact request;
  request.call_id = request_.call_id;
  request.fork = number;
  request.tenant = request_.tenant;
  request.user = request_.user;
  request.from_number = request_.from_number;
  request.display_name = request_.display_name;
  request.ring_timeout_ms = request_.ring_timeout_ms;
  request.listener = fork.listener.handle();
  request.correlation = request_.correlation;
  fork.contact.call(telephony::Contact::ring, request,
                    [this, &fork](const Result<telephony::Dialled>& dialled) {
                      if (!dialled) return on_ended(fork, ended_as("failed", dialled.error().text));
                      fork.leg = Lease<Leg>::open(host_, dialled->leg);
                      if (!fork.stop.reason.empty()) fork.leg.send(Leg::hangup, fork.stop);
                    });
}

void UserCall::on_progress(const telephony::Progress& progress) {
  if (closed_ || winner_ != nullptr || progress.sip_status == 0 || std::exchange(rings_, true)) return;
  listener_.send(LegListener::progress, {180, {}, false, {}});
}

void UserCall::on_answered(Fork& fork, const telephony::Answered& answered) {
  if (closed_ || winner_ != nullptr) return fork.hangup({"answered at another contact", true});
  if (!answered.port) return;  // it ends as failed, and others may still answer
  winner_ = &fork;
  timeout_.cancel();
  log_.info("a user has answered", {{"user", request_.user}, {"contact", fork.name}});
  stop_others(winner_, {"answered at another contact", true});
  listener_.send(LegListener::answered, {{}, (host_.mono_ns() - started_ns_) / 1'000'000, answered.port});
}

void UserCall::on_ended(Fork& fork, const telephony::Ended& ended) {
  if (std::exchange(fork.is_over, true) || closed_) return;
  fork.ended = ended;
  if (winner_ != nullptr) {
    if (&fork == winner_) close(ended);
    return;
  }
  log_.info("a contact does not take the call",
            {{"contact", fork.name}, {"sip", ended.sip_status}, {"why", ended.detail}});
  const bool is_final = ends_all_forks(ended);
  const bool are_all =
      std::all_of(forks_.begin(), forks_.end(), [](const auto& each) { return each->is_over; });
  if (is_final) stop_others(&fork, {"declined at another contact"});
  if (!is_final && !are_all) return;
  std::vector<telephony::Ended> ends;
  for (const auto& each : forks_)
    if (each->is_over) ends.push_back(each->ended);
  close(fork_result(ends));
}

void UserCall::stop_others(const Fork* winner, const telephony::Hangup& why) {
  for (const auto& fork : forks_)
    if (fork.get() != winner && !fork->is_over) fork->hangup(why);
}

void UserCall::hangup(const std::string& reason) {
  if (closed_) return;
  log_.info("hanging up", {{"reason", reason}});
  const bool rang_out = winner_ == nullptr && !timeout_.armed();
  stop_others(nullptr, {reason.empty() ? "hung up" : reason});
  if (winner_ != nullptr) return;  // its end is reported
  telephony::Ended ended = rang_out ? ended_as("no-answer", "rang out") : ended_as("local", "");
  if (rang_out) ended.sip_status = 480;
  close(ended);
}

void UserCall::on_owner_ended() { hangup("the plugin that owns the call has ended"); }

// The legs that still stop ringing need no listener: a leg without one is hung up.
void UserCall::close(const telephony::Ended& ended) {
  if (std::exchange(closed_, true)) return;
  timeout_.cancel();
  listener_watch_ = EndWatch();
  dialler_watch_ = EndWatch();
  listener_.send(LegListener::ended, ended);
  service_.withdraw();
  post(host_, kMainStrand, alive_.bind([this] {
    const Function<void()> on_closed = std::move(on_closed_);
    on_closed();
  }));
}

}  // namespace patchbay::sip_trunk
