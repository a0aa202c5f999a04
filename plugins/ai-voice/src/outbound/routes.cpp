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
      whitelist_(host) {}

void CallRoutes::open() {
  routes_.add(create_route(),
              [this](const http::Request& request, Answer answer) { create(request, std::move(answer)); });
  routes_.add(list_route(),
              [this](const http::Request& request, Answer answer) { list(request, std::move(answer)); });
  routes_.add(get_route(),
              [this](const http::Request& request, Answer answer) { get(request, std::move(answer)); });
  routes_.add(hangup_route(),
              [this](const http::Request& request, Answer answer) { hangup(request, std::move(answer)); });
  routes_.open();
}

void CallRoutes::list(const http::Request& request, Answer answer) {
  auto statuses = read_statuses(request.query.text("status"));
  if (!statuses) return answer(http::error(400, "invalid_request", statuses.error().text));
  store_.list(request.tenant, *statuses, request.limit, request.offset,
              [answer = std::move(answer)](Result<CallStore::Page> page) mutable {
                if (!page) return answer(page.error());
                JsonWriter body;
                body.object().key("data").array();
                for (const Call& call : page->calls) write_call(body, call);
                body.end().end();
                http::Response response = http::ok(std::move(body).str());
                response.total = page->total;
                answer(std::move(response));
              });
}

void CallRoutes::get(const http::Request& request, Answer answer) {
  store_.get(request.tenant, std::string(request.params.text("id")), kMainStrand,
             [answer = std::move(answer)](Result<Call> call) mutable {
               if (!call && call.error().code != Code::not_found) return answer(call.error());
               if (!call) return answer(no_such_call());
               JsonWriter body;
               write_call(body, *call);
               answer(http::ok(std::move(body).str()));
             });
}

void CallRoutes::hangup(const http::Request& request, Answer answer) {
  store_.get(
      request.tenant, std::string(request.params.text("id")), kMainStrand,
      alive_.bind([this, actor = request.username, answer = std::move(answer)](Result<Call> call) mutable {
        if (!call && call.error().code != Code::not_found) return answer(call.error());
        if (!call) return answer(no_such_call());
        hangup_call(*call, actor, std::move(answer));
      }));
}

void CallRoutes::hangup_call(const Call& call, const std::string& actor, Answer answer, int tries) {
  if (is_final(call.status)) return answer(hangup_reply(call, actor, call.status, true));
  if (const auto attempt = scheduler_.find(call.call_id)) {
    // Read again: what ended first decides. An attempt that had ended already, with a retry, leaves a call
    // that waits to be dialled again and is still to be cancelled.
    attempt->cancel(alive_.bind(
        [this, tenant = call.tenant, id = call.call_id, actor, tries, answer = std::move(answer)]() mutable {
          store_.get(
              tenant, id, kMainStrand,
              alive_.bind([this, actor, tries, answer = std::move(answer)](const Result<Call>& now) mutable {
                if (!now) return answer(now.error());
                if (!is_final(now->status) && tries > 0)
                  return hangup_call(*now, actor, std::move(answer), tries - 1);
                answer(hangup_reply(*now, actor, now->status, now->status != status::kCancelled));
              }));
        }));
    return;
  }
  Transaction tx(host_);
  store_.cancel_waiting(tx, call, host_.wall_ms());
  std::move(tx).commit(alive_.bind([this, call, actor, tries,
                                    answer = std::move(answer)](const Commit& outcome) mutable {
    if (outcome) {
      metrics_.ended(call, Ending::cancelled());
      log_.with(call.call_id).info("cancelled", {{"actor", actor}});
      return answer(hangup_reply(call, actor, status::kCancelled, false));
    }
    if (outcome.code() != Code::conflict) return answer(outcome.error());
    // It changes at this moment, or belonged to a process that is gone and is not recovered yet.
    if (tries == 0) return answer(Error{Code::unavailable, "the call is changing"});
    store_.get(call.tenant, call.call_id, kMainStrand,
               alive_.bind([this, actor, tries, answer = std::move(answer)](const Result<Call>& now) mutable {
                 if (!now) return answer(now.error());
                 hangup_call(*now, actor, std::move(answer), tries - 1);
               }));
  }));
}

}  // namespace patchbay::ai_voice
