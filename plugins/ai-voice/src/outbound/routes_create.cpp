// POST /v1/calls: one check after the other, then one transaction.
#include <patchbay/hex.h>
#include <patchbay/random_id.h>

#include <algorithm>
#include <utility>

#include "crypto/digest.h"
#include "outbound/api_key_sealing.h"
#include "outbound/create_request.h"
#include "outbound/limits.h"
#include "outbound/route_bodies.h"
#include "outbound/routes.h"

namespace patchbay::ai_voice {
namespace {

std::string fingerprint(std::string_view text) { return to_hex(lib::sha256(text)); }

http::Response busy(int64_t max_waiting_calls) {
  http::Response response = http::error(429, "rate_limited",
                                        "maxWaitingCalls (" + std::to_string(max_waiting_calls) +
                                            ") of the tenant is reached: as many of its calls wait already");
  response.headers.add("Retry-After", kBusyRetryAfterSec);
  return response;
}

http::Response overloaded(std::string_view limit) {
  http::Response response = http::error(
      503, "unavailable",
      limit == "late"
          ? "The server is too busy for another call: its processors serve it too late"
          : "The server is too busy for another call: maxLoadPercent of its processors is reached");
  response.headers.add("Retry-After", kLoadRetryAfterSec);
  return response;
}

http::Response key_in_use() {
  return http::error(409, "idempotency_conflict", "A request with this Idempotency-Key is under way.");
}

}  // namespace

struct CallRoutes::Creation {
  http::Request request;
  Call call;
  std::string sealed_key;
  std::string idempotency_key;  // hashed; "": the request has none
  std::string request_hash;
  int64_t expired_reply_ms = 0;  // when a stored reply was created that is too old; 0: none
  std::string stored_reply;      // the reply that is stored with the call
  HttpReply reply;

  std::string under_way() const { return request.tenant + "|" + idempotency_key; }
};

// Looks for a stored reply before it validates the request, because meanwhile the time of a schedule may have
// passed, or the model's engine may have ended.
void CallRoutes::create(const http::Request& request, HttpReply reply) {
  auto creation = std::make_unique<Creation>(Creation{request, {}, {}, {}, {}, 0, {}, std::move(reply)});
  const auto key = request.headers.text("idempotency-key");
  if (key.empty()) return validate(std::move(creation));
  if (key.size() > kMaxIdempotencyKeyBytes) {
    return creation->reply(
        http::error(400, "invalid_request", "Idempotency-Key must have at most 255 characters"));
  }
  creation->idempotency_key = fingerprint(key);
  creation->request_hash = fingerprint(host_.write_json(request.json()));
  check_key(std::move(creation));
}

void CallRoutes::check_key(CreationPtr creation) {
  const std::string tenant = creation->request.tenant;
  const std::string key = creation->idempotency_key;
  store_.find_idempotent_reply(
      tenant, key,
      alive_.bind(
          [this, creation = std::move(creation)](const Result<CallStore::IdempotentReply>& before) mutable {
            if (!before) return creation->reply(before.error());
            if (under_way_.count(creation->under_way()) != 0) return creation->reply(key_in_use());
            if (!before->found) return validate(std::move(creation));
            if (before->created_ms < host_.wall_ms() - kIdempotencyWindowMs) {
              creation->expired_reply_ms = before->created_ms;
              return validate(std::move(creation));
            }
            if (before->request_hash != creation->request_hash) {
              return creation->reply(http::error(409, "idempotency_conflict",
                                                 "This Idempotency-Key was used with another request."));
            }
            http::Response again = http::ok(before->response);
            again.headers.add("Idempotent-Replayed", "true");
            creation->reply(std::move(again));
          }));
}

void CallRoutes::validate(CreationPtr creation) {
  const http::Request& request = creation->request;
  const auto refuse = [&](std::string_view why) {
    creation->reply(http::error(400, "invalid_request", why));
  };
  const TenantSettings* settings = settings_.tenant(request.tenant);
  if (settings == nullptr) return refuse("There is no such tenant.");
  auto call = parse_create_request(request.json(), *settings, host_.wall_ms());
  if (!call) return refuse(call.error().text);
  const RegisteredEngine* engine = engines_.find(call->model);
  if (engine == nullptr)
    return refuse(engines_.empty() ? "model is not served: there is no engine here"
                                   : "model must begin with one of " + engines_.model_names());
  if (!engine->key_required) call->api_key.clear();
  if (engine->key_required && call->api_key.empty())
    return refuse("apiKey is required for this model; for example \"key-of-the-engine\"");
  auto id = random_id({}, 12);
  if (!id) return creation->reply(id.error());
  call->call_id = "oac-" + *id;
  call->tenant = request.tenant;
  call->requested_by = request.username;
  creation->call = *std::move(call);
  auto sealed = seal_key(host_, creation->call);
  if (!sealed) return creation->reply(sealed.error());
  creation->sealed_key = *std::move(sealed);
  check_backlog(std::move(creation));
}

void CallRoutes::check_backlog(CreationPtr creation) {
  const std::string tenant = creation->call.tenant;
  store_.count_waiting(
      tenant, alive_.bind([this, creation = std::move(creation)](const Result<int64_t>& waiting) mutable {
        if (!waiting) return creation->reply(waiting.error());
        const TenantSettings* settings = settings_.tenant(creation->call.tenant);
        if (settings == nullptr || *waiting >= settings->max_waiting_calls) {
          metrics_.limited("backlog");
          return creation->reply(busy(settings == nullptr ? 0 : settings->max_waiting_calls));
        }
        if (creation->call.scheduled_ms > 0) return choose_status(std::move(creation));
        check_telephony(std::move(creation));
      }));
}

void CallRoutes::check_telephony(CreationPtr creation) {
  if (draining_) return creation->reply(http::error(502, "bridge_unreachable", "The server is stopping."));
  if (!telephony_.up()) {
    return creation->reply(http::error(503, "bridge_not_configured", "No telephony is configured."));
  }
  const std::string tenant = creation->call.tenant;
  telephony_.call(
      telephony::Telephony::status, {tenant},
      [this, creation = std::move(creation)](const Result<telephony::TelephonyStatus>& status) mutable {
        if (!status) {
          return creation->reply(http::error(502, "bridge_unreachable", "Telephony does not answer."));
        }
        if (!status->configured) {
          return creation->reply(
              http::error(503, "bridge_not_configured", "The tenant has no trunk configured."));
        }
        if (!status->able) return creation->reply(http::error(502, "bridge_unreachable", status->reason));
        choose_status(std::move(creation));
      });
}

// A call to be dialled now waits if a limit of the tenant, of the server or of its trunks is reached. The
// load is asked before the trunks, because a refused call must not keep a trunk's place.
void CallRoutes::choose_status(CreationPtr creation) {
  const Call& call = creation->call;
  const TenantSettings* settings = settings_.tenant(call.tenant);
  if (call.scheduled_ms > 0 || settings == nullptr) return set_status(std::move(creation), {});
  if (const StartLimit limit = scheduler_.reached_limit(call.tenant, *settings))
    return set_status(std::move(creation), limit);
  const std::string_view load = scheduler_.admit();
  if (!load.empty()) return creation->reply(overloaded(load));
  scheduler_.reserve_trunk(
      call, alive_.bind([this, creation = std::move(creation)](const StartLimit& limit) mutable {
        set_status(std::move(creation), limit);
      }));
}

void CallRoutes::set_status(CreationPtr creation, const StartLimit& limit) {
  Call& call = creation->call;
  const bool is_now = call.scheduled_ms == 0 && !limit;
  const TenantSettings* settings = settings_.tenant(call.tenant);
  if (is_now && settings != nullptr) scheduler_.count_start(call.tenant, *settings);
  call.waits_for = limit.text;
  call.status = is_now ? status::kDispatching : status::kScheduled;
  if (!whitelist_.up()) return store(std::move(creation), false, "no whitelist is loaded");
  store(std::move(creation), true, {});
}

void CallRoutes::store(CreationPtr creation, bool has_whitelist, std::string whitelist_error) {
  const Call& call = creation->call;
  auto tx = std::make_unique<Transaction>(host_);
  size_t whitelist_result = store_.insert(*tx, call, creation->sealed_key) + 1;
  tx->job_add(CallStore::kDialJob, call.tenant, call.call_id, std::max(call.scheduled_ms, call.created_ms),
              call.call_id);
  if (!creation->idempotency_key.empty()) {
    if (creation->expired_reply_ms > 0)
      store_.delete_idempotent_reply(*tx, call.tenant, creation->idempotency_key, creation->expired_reply_ms);
    // Whether the whitelist takes the number is known only after the commit: update_stored_reply() corrects
    // this before the client is answered.
    creation->stored_reply = create_reply(call, has_whitelist, whitelist_error);
    whitelist_result =
        store_.save_idempotent_reply(*tx, call.tenant, creation->idempotency_key, creation->request_hash,
                                     creation->stored_reply, call.created_ms) +
        1;
    if (!under_way_.insert(creation->under_way()).second) return creation->reply(key_in_use());
  }
  const auto commit = [this, whitelist_result](CreationPtr whole, std::unique_ptr<Transaction> all,
                                               bool asked, std::string error) {
    std::move(*all).commit(alive_.bind([this, whole = std::move(whole), whitelist_result, asked,
                                        error = std::move(error)](const Commit& outcome) mutable {
      if (!outcome) {
        under_way_.erase(whole->under_way());
        scheduler_.release_trunk(whole->call.call_id);
        // Of two requests with one key at the same time, the first one stored wins.
        const bool taken = outcome.code() == Code::conflict && !whole->idempotency_key.empty();
        return taken ? whole->reply(key_in_use()) : whole->reply(outcome.error());
      }
      const bool kept = asked && outcome.savepoint_ok(0);
      if (asked && !kept) error = "the whitelist could not be written";
      const bool added = kept && !outcome.result(whitelist_result).empty();
      created(std::move(whole), added, error);
    }));
  };
  if (!has_whitelist) return commit(std::move(creation), std::move(tx), false, std::move(whitelist_error));
  tx->savepoint();
  const whitelist::Add add{tx->handle(), call.tenant, call.phone, "outbound call " + call.call_id};
  whitelist_.call(
      whitelist::Whitelist::add, add,
      [commit, creation = std::move(creation), tx = std::move(tx)](const Result<Empty>& added) mutable {
        tx->release();
        commit(std::move(creation), std::move(tx), added.ok(), added ? "" : added.error().text);
      });
}

void CallRoutes::created(CreationPtr creation, bool added, const std::string& whitelist_error) {
  const Call& call = creation->call;
  log_.with(call.call_id)
      .info("call accepted",
            {{"tenant", call.tenant}, {"status", call.status}, {"requestedBy", call.requested_by}});
  std::string body = create_reply(call, added, whitelist_error);
  if (creation->idempotency_key.empty()) return creation->reply(http::ok(std::move(body)));
  update_stored_reply(std::move(creation), std::move(body));
}

// Answers the client only when a repetition of the request would get the same reply.
void CallRoutes::update_stored_reply(CreationPtr creation, std::string body) {
  if (creation->stored_reply == body) {
    under_way_.erase(creation->under_way());
    return creation->reply(http::ok(std::move(body)));
  }
  Transaction tx(host_);
  store_.update_idempotent_reply(tx, creation->call.tenant, creation->idempotency_key, body);
  std::move(tx).commit(alive_.bind(
      [this, creation = std::move(creation), body = std::move(body)](const Commit& outcome) mutable {
        under_way_.erase(creation->under_way());
        if (!outcome) {
          log_.with(creation->call.call_id)
              .warn("the answer could not be stored, a repeated request may get another",
                    {{"why", outcome.error().text}});
        }
        creation->reply(http::ok(std::move(body)));
      }));
}

}  // namespace patchbay::ai_voice
