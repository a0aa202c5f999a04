// The REST endpoints of outbound AI calls.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/services/whitelist.h>

#include <memory>
#include <set>
#include <string>

#include "outbound/limits.h"
#include "outbound/remote_hangup.h"
#include "outbound/scheduler.h"

namespace patchbay::ai_voice {

// Main strand only.
class CallRoutes {
 public:
  CallRoutes(const Host& host, const CallStore& store, const EngineRegistry& engines,
             const Settings& settings, Scheduler& scheduler, const CallMetrics& metrics);
  void open();
  // Refuses new calls from now on (503).
  void drain() noexcept { draining_ = true; }

 private:
  using HttpReply = Reply<http::Response>;
  // A create request that is being checked.
  struct Creation;
  using CreationPtr = std::unique_ptr<Creation>;

  void create(const http::Request& request, HttpReply reply);
  void check_key(CreationPtr creation);
  void validate(CreationPtr creation);
  void check_backlog(CreationPtr creation);
  void check_telephony(CreationPtr creation);
  void choose_status(CreationPtr creation);
  void set_status(CreationPtr creation, const StartLimit& limit);
  void store(CreationPtr creation, bool has_whitelist, std::string whitelist_error);
  void created(CreationPtr creation, bool added, const std::string& whitelist_error);
  void update_stored_reply(CreationPtr creation, std::string body);

  void list(const http::Request& request, HttpReply reply);
  void get(const http::Request& request, HttpReply reply);
  void hangup(const http::Request& request, HttpReply reply);
  void hangup_call(const Call& call, const std::string& actor, HttpReply reply, int tries = kMaxHangupTries);
  void hang_up_elsewhere(const Call& call, const std::string& actor, HttpReply reply, int tries);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const EngineRegistry& engines_;
  const Settings& settings_;
  Scheduler& scheduler_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  http::Routes routes_;
  Service<telephony::Telephony> telephony_;
  Service<whitelist::Whitelist> whitelist_;
  RemoteHangup remote_hangup_;
  bool draining_ = false;
  std::set<std::string> under_way_;  // Idempotency-Keys, with their tenant, of requests not answered yet
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
