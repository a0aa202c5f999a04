#include "outbound/routes.h"

#include <utility>

#include "outbound/route_bodies.h"

namespace patchbay::ai_voice {

CallRoutes::CallRoutes(const Host& host, const CallStore& store, const EngineRegistry& engines,
                       const Settings& settings, Scheduler& scheduler, const CallMetrics& metrics)
    : host_(host),
      store_(store),
      engines_(engines),
      settings_(settings),
      scheduler_(scheduler),
      metrics_(metrics),
      log_(host),
      routes_(host),
      telephony_(host),
      whitelist_(host),
      remote_hangup_(host, store) {}

void CallRoutes::open() {
  routes_.add(create_route(),
              [this](const http::Request& request, HttpReply reply) { create(request, std::move(reply)); });
  routes_.add(list_route(),
              [this](const http::Request& request, HttpReply reply) { list(request, std::move(reply)); });
  routes_.add(get_route(),
              [this](const http::Request& request, HttpReply reply) { get(request, std::move(reply)); });
  routes_.add(hangup_route(),
              [this](const http::Request& request, HttpReply reply) { hangup(request, std::move(reply)); });
  routes_.open();
}

void CallRoutes::list(const http::Request& request, HttpReply reply) {
  auto statuses = read_statuses(request.query.text("status"));
  if (!statuses) return reply(http::error(400, "invalid_request", statuses.error().text));
  auto after = lib::read_page_cursor(request.query.text("cursor"));
  if (!after) return reply(http::error(400, "invalid_request", after.error().text));
  store_.list({request.tenant, *std::move(statuses), request.limit, request.offset, *std::move(after)},
              [reply = std::move(reply)](Result<CallStore::Page> page) mutable {
                if (!page) return reply(page.error());
                http::Response response;
                response.bytes = std::move(page->calls);
                response.total = page->total;
                response.next_cursor = std::move(page->next_cursor);
                reply(std::move(response));
              });
}

void CallRoutes::get(const http::Request& request, HttpReply reply) {
  store_.get(request.tenant, std::string(request.params.text("id")), kMainStrand,
             [reply = std::move(reply)](Result<Call> call) mutable {
               if (!call && call.error().code != Code::not_found) return reply(call.error());
               if (!call) return reply(no_such_call());
               JsonWriter body;
               write_call(body, *call);
               reply(http::ok(std::move(body).str()));
             });
}

void CallRoutes::hangup(const http::Request& request, HttpReply reply) {
  store_.get(
      request.tenant, std::string(request.params.text("id")), kMainStrand,
      alive_.bind([this, actor = request.username, reply = std::move(reply)](Result<Call> call) mutable {
        if (!call && call.error().code != Code::not_found) return reply(call.error());
        if (!call) return reply(no_such_call());
        hangup_call(*call, actor, std::move(reply));
      }));
}

void CallRoutes::hangup_call(const Call& call, const std::string& actor, HttpReply reply, int tries) {
  if (is_final(call.status)) return reply(hangup_reply(call, actor, call.status, true));
  if (const auto attempt = scheduler_.find(call.call_id)) {
    // Reads the call again, because the attempt may have ended by itself first, and left a call that waits
    // for a retry and is still to be cancelled.
    attempt->cancel(alive_.bind([this, tenant = call.tenant, id = call.call_id, actor, tries,
                                 reply = std::move(reply)]() mutable {
      store_.get(tenant, id, kMainStrand,
                 alive_.bind([this, actor, tries, reply = std::move(reply)](const Result<Call>& now) mutable {
                   if (!now) return reply(now.error());
                   if (!is_final(now->status) && tries > 0)
                     return hangup_call(*now, actor, std::move(reply), tries - 1);
                   reply(hangup_reply(*now, actor, now->status, now->status != status::kCancelled));
                 }));
    }));
    return;
  }
  if (call.owner_run > 0 && store_.owner().is_shared && call.owner_run != store_.owner().run)
    return hang_up_elsewhere(call, actor, std::move(reply), tries);
  Transaction tx(host_);
  store_.cancel_waiting(tx, call, host_.wall_ms());
  std::move(tx).commit(alive_.bind([this, call, actor, tries,
                                    reply = std::move(reply)](const Commit& outcome) mutable {
    if (outcome) {
      metrics_.ended(call, Ending::cancelled());
      log_.with(call.call_id).info("cancelled", {{"actor", actor}});
      return reply(hangup_reply(call, actor, status::kCancelled, false));
    }
    if (outcome.code() != Code::conflict) return reply(outcome.error());
    // The call changes at this moment, or its attempt belongs to a crashed process and is not recovered yet.
    if (tries == 0) return reply(Error{Code::unavailable, "the call is changing"});
    store_.get(call.tenant, call.call_id, kMainStrand,
               alive_.bind([this, actor, tries, reply = std::move(reply)](const Result<Call>& now) mutable {
                 if (!now) return reply(now.error());
                 hangup_call(*now, actor, std::move(reply), tries - 1);
               }));
  }));
}

void CallRoutes::hang_up_elsewhere(const Call& call, const std::string& actor, HttpReply reply, int tries) {
  remote_hangup_.request(
      call, alive_.bind([this, actor, tries, reply = std::move(reply)](const Result<Call>& now) mutable {
        if (!now) return reply(now.error());
        if (!is_final(now->status) && tries > 0) return hangup_call(*now, actor, std::move(reply), tries - 1);
        reply(hangup_reply(*now, actor, now->status, now->status != status::kCancelled));
      }));
}

}  // namespace patchbay::ai_voice
