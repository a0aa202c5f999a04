#include "inbound/inbound_answerer.h"

#include <patchbay/text.h>

#include <utility>

#include "inbound/inbound_limits.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {

InboundAnswerer::InboundAnswerer(const Host& host, const InboundStore& store, EngineRegistry& engines,
                                 const Settings& settings, const CallMetrics& metrics, EndWriter& writer,
                                 Scheduler& scheduler, InboundUse& use)
    : host_(host),
      store_(store),
      engines_(engines),
      settings_(settings),
      metrics_(metrics),
      scheduler_(scheduler),
      use_(use),
      log_(host),
      writer_(host, store, writer),
      recovery_(host, store, metrics, writer_),
      numbers_(host),
      owner_timer_(host) {}

void InboundAnswerer::start() {
  registration_ = std::make_unique<telephony::AnswererRegistration>(
      host_, "ai-voice", 0, [this](const telephony::Offer& offer, Reply<telephony::Taken> reply) {
        on_offer(offer, std::move(reply));
      });
  hand_over_ = std::make_unique<Provision<telephony::Answerer>>(host_);
  hand_over_->on(telephony::Answerer::offer,
                 [this](const telephony::Offer& offer, Reply<telephony::Taken> reply) {
                   on_hand_over(offer, std::move(reply));
                 });
  started_ns_ = host_.mono_ns();
  recovery_.start();
  if (store_.owner().is_shared) check_owned();
}

void InboundAnswerer::on_offer(const telephony::Offer& offer, Reply<telephony::Taken> reply) {
  if (offer.target != "number" || settings_.tenant(offer.tenant) == nullptr) return reply(telephony::Taken{});
  if (draining_) return refuse(offer, {503, "the server is stopping"}, std::move(reply));
  numbers_.call(
      numbers::Numbers::find, {offer.tenant, offer.number},
      alive_.bind([this, offer, reply = std::move(reply)](const Result<numbers::Number>& number) mutable {
        on_number(offer, number, std::move(reply));
      }));
}

// Bounded, because two numbers may hand their callers to each other.
void InboundAnswerer::on_hand_over(telephony::Offer offer, Reply<telephony::Taken> reply) {
  const auto from = running_.find(offer.user);
  if (from == running_.end()) return reply(Error{Code::gone, "the call has ended"});
  if (from->second.hand_overs == kMaxHandOvers)
    return refuse(offer, {480, "the caller was handed over too often"}, std::move(reply));
  on_offer(offer, std::move(reply));
}

void InboundAnswerer::on_number(const telephony::Offer& offer, const Result<numbers::Number>& number,
                                Reply<telephony::Taken> reply) {
  const TenantSettings* settings = settings_.tenant(offer.tenant);
  if (!number || number->mode != "live-voice-ai" || settings == nullptr) return reply(telephony::Taken{});
  if (draining_) return refuse(offer, {503, "the server is stopping"}, std::move(reply));
  const Refused limit = reached_limit(offer.tenant, *settings, running_.count(offer.user) > 0);
  if (limit.sip_status != 0) return refuse(offer, limit, std::move(reply));
  take(offer, *number, *settings, std::move(reply));
}

InboundAnswerer::Refused InboundAnswerer::reached_limit(const std::string& tenant,
                                                        const TenantSettings& settings, bool has_place) {
  const StartLimit slots = has_place ? StartLimit() : scheduler_.reached_slots(tenant, settings);
  if (slots) {
    metrics_.limited(slots.label);
    return {486, slots.text};
  }
  const std::string_view load = scheduler_.admit();
  if (!load.empty()) return {503, "the processors are at their limit"};
  return {0, {}};
}

// Engines start after this plugin, and again after a crash: then the carrier may try another server.
InboundAnswerer::Refused InboundAnswerer::no_engine(const RegisteredEngine* engine) const {
  const int64_t since_ns = engine != nullptr ? engine->ended_ns : started_ns_;
  if (host_.mono_ns() - since_ns < kEngineRegistrationMs * 1'000'000)
    return {503, "the engine of the virtual number's model is starting"};
  return {480, "no engine serves the model of the virtual number"};
}

void InboundAnswerer::take(const telephony::Offer& offer, const numbers::Number& number,
                           const TenantSettings& settings, Reply<telephony::Taken> reply) {
  const std::string model = number.model.empty() ? settings.model : number.model;
  const RegisteredEngine* engine = engines_.find(model);
  if (engine == nullptr || engine->ended_ns != 0) return refuse(offer, no_engine(engine), std::move(reply));
  const std::string key = number.api_key.empty() ? settings.api_key : number.api_key;
  if (engine->key_required && key.empty())
    return refuse(offer, {480, "the virtual number has no API key, and the tenant no default"},
                  std::move(reply));
  InboundInit init;
  init.offer = offer;
  init.hand_over = hand_over_->handle();
  init.transfers_by_refer =
      number.transfer_by.empty() ? settings.transfers_by_refer : number.transfer_by == "refer";
  init.call.call_id = offer.call_id;
  init.call.tenant = offer.tenant;
  init.call.name = number.name;
  init.call.did = offer.did;
  init.call.from_number = offer.from_number;
  init.call.voice = number.voice;
  init.call.language = number.language;
  init.call.model = model;
  init.call.keeps_transcript = number.save_transcripts;
  init.call.max_seconds = number.max_duration_sec;
  init.call.started_ms = host_.wall_ms();
  init.call.owner_run = store_.owner().run;
  const auto from = running_.find(offer.user);
  init.call.is_handed_over = from != running_.end();
  ConversationInit& talk = init.conversation;
  talk.call_id = offer.call_id;
  talk.tenant = offer.tenant;
  talk.model = model;
  talk.voice = number.voice;
  talk.language = number.language;
  const auto prompt = settings.prompts.find(number.system_prompt);
  talk.system_prompt = prompt != settings.prompts.end() ? prompt->second : number.system_prompt;
  if (engine->key_required) talk.api_key = key;
  talk.greeting = number.greeting;
  talk.engine = engine->engine;
  talk.direction = Direction::inbound;
  for (const std::string_view target : split(number.transfer_targets, '\n'))
    if (!target.empty()) talk.transfer_targets.emplace_back(target);
  talk.max_seconds = number.max_duration_sec;
  talk.log_conversation = settings_.server().log_conversations;
  if (store_.owner().is_shared && !init.call.is_handed_over)
    init.max_tenant_calls = static_cast<int64_t>(settings.max_concurrent_calls);
  const std::string id = offer.call_id;
  InboundConversation::Events events;
  events.talks = alive_.bind([this, id] {
    const auto at = running_.find(id);
    if (at != running_.end()) at->second.place->talks();
  });
  events.first_audio = [&metrics = metrics_](int64_t ms) { metrics.first_audio(ms); };
  events.ended = alive_.bind([this, id](const std::string& outcome) { on_ended(id, outcome); });
  Running running;
  running.place = from != running_.end() ? from->second.place : use_.take(offer.tenant);
  running.hand_overs = from != running_.end() ? from->second.hand_overs + 1 : 0;
  running.conversation = InboundConversation::start(host_, store_, writer_, std::move(init), std::move(reply),
                                                    std::move(events));
  running_[id] = std::move(running);
  metrics_.inbound(running_.size());
}

void InboundAnswerer::refuse(const telephony::Offer& offer, const Refused& why,
                             Reply<telephony::Taken> reply) {
  log_.with(offer.call_id)
      .warn(
          "a call to a virtual number is refused",
          {{"tenant", offer.tenant}, {"number", offer.number}, {"sip", why.sip_status}, {"why", why.reason}});
  telephony::Taken taken;
  taken.sip_status = why.sip_status;
  taken.reason = why.reason;
  reply(taken);
}

void InboundAnswerer::on_ended(const std::string& call_id, const std::string& outcome) {
  const auto at = running_.find(call_id);
  if (at == running_.end()) return;
  running_.erase(at);
  metrics_.inbound(running_.size());
  metrics_.inbound_ended(outcome.empty() ? "not-answered" : outcome);
  scheduler_.on_slot_free();
  notify_if_idle();
}

void InboundAnswerer::drain(Function<void()> done) {
  draining_ = true;
  on_idle_ = std::move(done);
  notify_if_idle();
}

void InboundAnswerer::stop(Function<void()> done) {
  registration_.reset();
  hand_over_.reset();
  for (const auto& [id, call] : running_) call.conversation->interrupt();
  drain(std::move(done));
}

void InboundAnswerer::notify_if_idle() {
  if (running_.empty() && on_idle_) std::exchange(on_idle_, {})();
}

// Another server on the database ends our calls when our lease runs out. The list is made before the read,
// because a call that is stored meanwhile may be missing in its result.
void InboundAnswerer::check_owned() {
  std::vector<std::shared_ptr<InboundConversation>> before;
  for (const auto& [id, call] : running_)
    if (call.conversation->is_stored()) before.push_back(call.conversation);
  const auto again = [this] { owner_timer_.after_ms(lib::kOwnerPollMs, [this] { check_owned(); }); };
  if (before.empty()) return again();
  store_.owned(alive_.bind([before, again](const Result<std::set<std::string>>& owned) {
    for (const auto& call : before)
      if (owned && owned->count(call->call_id()) == 0) call->lose();
    again();
  }));
}

}  // namespace patchbay::ai_voice
