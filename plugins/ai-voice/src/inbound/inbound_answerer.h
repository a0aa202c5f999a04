// InboundAnswerer: takes the calls to virtual numbers with the mode live-voice-ai, within the limits, and
// keeps their conversations. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/answerer.h>
#include <patchbay/services/numbers.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "end_writer.h"
#include "engine_registry.h"
#include "inbound/inbound_conversation.h"
#include "inbound/inbound_end_writer.h"
#include "inbound/inbound_recovery.h"
#include "inbound/inbound_store.h"
#include "inbound/inbound_use.h"
#include "outbound/scheduler.h"
#include "read_settings.h"

namespace patchbay::ai_voice {

class InboundAnswerer {
 public:
  // All outlive this.
  InboundAnswerer(const Host& host, const InboundStore& store, EngineRegistry& engines,
                  const Settings& settings, const CallMetrics& metrics, EndWriter& writer,
                  Scheduler& scheduler, InboundUse& use);

  void start();
  // Takes no further calls. Calls done() when none runs.
  void drain(Function<void()> done);
  // Ends the running calls. Calls done() when their ends are stored.
  void stop(Function<void()> done);

 private:
  struct Refused {
    int64_t sip_status;
    std::string reason;
  };
  void on_offer(const telephony::Offer& offer, Reply<telephony::Taken> reply);
  // A conversation hands its caller over; `user` of the offer has its call id.
  void on_hand_over(telephony::Offer offer, Reply<telephony::Taken> reply);
  void on_number(const telephony::Offer& offer, const Result<numbers::Number>& number,
                 Reply<telephony::Taken> reply);
  // Why no further call of the tenant is taken now; sip_status 0: there is no reason. A caller who is handed
  // over keeps the place.
  Refused reached_limit(const std::string& tenant, const TenantSettings& settings, bool has_place);
  Refused no_engine(const RegisteredEngine* engine) const;
  void take(const telephony::Offer& offer, const numbers::Number& number, const TenantSettings& settings,
            Reply<telephony::Taken> reply);
  void refuse(const telephony::Offer& offer, const Refused& why, Reply<telephony::Taken> reply);
  void on_ended(const std::string& call_id, const std::string& outcome);
  void notify_if_idle();

  void check_owned();

  // borrowed
  const Host& host_;
  const InboundStore& store_;
  EngineRegistry& engines_;
  const Settings& settings_;
  const CallMetrics& metrics_;
  Scheduler& scheduler_;
  InboundUse& use_;
  // owned
  struct Running {
    std::shared_ptr<InboundConversation> conversation;  // shared with itself
    std::shared_ptr<InboundUse::Place> place;           // shared with those of its caller before and after
    int hand_overs = 0;                                 // from AI to AI before this call
  };
  const Log log_;
  InboundEndWriter writer_;
  InboundRecovery recovery_;
  Service<numbers::Numbers> numbers_;
  std::unique_ptr<telephony::AnswererRegistration> registration_;
  std::unique_ptr<Provision<telephony::Answerer>> hand_over_;
  std::map<std::string, Running> running_;
  Timer owner_timer_;
  Function<void()> on_idle_;
  // state
  int64_t started_ns_ = 0;
  bool draining_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
