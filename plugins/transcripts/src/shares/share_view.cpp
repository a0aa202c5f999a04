#include "shares/share_view.h"

#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <memory>
#include <utility>

#include "shares/accept.h"
#include "shares/public_transcript.h"
#include "shares/share_page.h"
#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

using http::Request;
using http::Response;

constexpr char kViewDocuments[] = R"({"otherTypes": ["text/html"],
  "statuses": {"200": "JSON for Accept: application/json, otherwise a page, text/html",
    "404": "not_found: unknown, expired or revoked; the transcript was deleted",
    "429": "rate_limited: too many requests for unknown shares"},
  "requestHeaders": {"Accept": "application/json for JSON; otherwise a page is sent"}})";

Response page(int64_t status, std::string html) {
  Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(html);
  return response;
}

}  // namespace

ShareView::ShareView(const Host& host, const Archive& archive)
    : host_(host),
      archive_(archive),
      open_(Statement::find(host, "share_open")),
      viewed_(Statement::find(host, "share_viewed")),
      security_policy_(page_security_policy()),
      views_(Metric::counter(host, "patchbay_transcripts_share_views_total", "Shared transcripts sent")),
      misses_(Metric::counter(host, "patchbay_transcripts_share_misses_total",
                              "Requests for shares that are unknown, expired or revoked")),
      routes_(host),
      limiter_({kShareMissesPerSecond, kShareMissBurst}) {
  http::Route route;
  route.method = "GET";
  route.path = "/share/{token}";
  route.role = "none";
  route.area = "shares";
  route.summary = "Shows a shared transcript; the token is the authorization";
  route.reply_schema = public_schema();
  route.documents = kViewDocuments;
  routes_.add(std::move(route),
              [this](const Request& request, Reply reply) { view(request, std::move(reply)); });
}

// Adds headers that keep the link out of search engines and of the logs of linked pages.
Response ShareView::with_headers(Response response) const {
  response.headers.add("Content-Security-Policy", security_policy_);
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("X-Robots-Tag", "noindex, nofollow");
  response.headers.add("Vary", "Accept");
  return response;
}

void ShareView::view(const Request& request, Reply reply) {
  Visit visit{request.remote, request.correlation, prefers_json(request.headers.text("accept")),
              request.is_head};
  const std::string_view token = request.params.text("token");
  if (!is_share_token(token)) return reply(missing(visit));
  query(host_, open_, {share_token_hash(token), host_.wall_ms()},
        alive_.bind(
            [this, visit = std::move(visit), reply = std::move(reply)](const Result<Rows>& rows) mutable {
              if (!rows) return reply(rows.error());
              if (rows->empty()) return reply(missing(visit));
              read(std::move(visit), read_share(*rows, 0), std::move(reply));
            }));
}

// Counts the request against its address only when nothing is found, so that guesses do not keep people with
// a valid link out.
Response ShareView::missing(const Visit& visit) {
  misses_.add();
  const int64_t wait_ms = limiter_.take(visit.remote, host_.mono_ns());
  const bool is_limited = wait_ms > 0;
  Response response =
      is_limited ? (visit.wants_json
                        ? http::error(429, "rate_limited", "too many requests for unknown shares")
                        : page(429, notice_page("Too many attempts", "Please try again in a few minutes.")))
                 : (visit.wants_json
                        ? http::error(404, "not_found", "no such share")
                        : page(404, notice_page("This link does not work",
                                                "It may have expired, been withdrawn, or been copied "
                                                "incompletely. Ask the person who sent it for a new one.")));
  if (is_limited) response.headers.add("Retry-After", std::to_string((wait_ms + 999) / 1000));
  return with_headers(std::move(response));
}

void ShareView::read(Visit visit, Share share, Reply reply) {
  struct Work {
    Visit visit;
    Share share;
    Reply reply;
    Result<Response> response = Error{Code::failed, "not rendered"};
  };
  // Shared with the task, because post_worker() destroys a task that it refuses, and the reply is needed.
  auto work = std::make_shared<Work>(Work{std::move(visit), std::move(share), std::move(reply)});
  auto then = alive_.bind([this, work] {
    if (!work->response) return work->reply(work->response.error());
    record_view(work->visit, work->share, *std::move(work->response), std::move(work->reply));
  });
  const Status queued = post_worker(host_, [this, work, then = std::move(then)]() mutable {
    work->response = render(work->visit, work->share);
    post(host_, kMainStrand, std::move(then));
  });
  if (!queued) work->reply(queued.error());
}

// [worker]
Result<Response> ShareView::render(const Visit& visit, const Share& share) const {
  auto text = archive_.read(share.tenant, share.file);
  if (!text) {
    Log(host_).error("the file of a shared transcript cannot be read",
                     {{"file", share.file}, {"why", text.error().text}});
    return text.error();
  }
  PB_TRY_VALUE(const Json document, host_.parse_json(*text));
  const PublicTranscript transcript = PublicTranscript::read(document.root());
  if (visit.wants_json) return with_headers(http::ok(public_json(transcript, share.expires_ms)));
  return with_headers(page(200, share_page(transcript, share.expires_ms)));
}

// Sends the transcript only when the view is stored, so that no view goes unrecorded. A share that was
// revoked meanwhile is missing.
void ShareView::record_view(const Visit& visit, const Share& share, Response response, Reply reply) {
  if (visit.is_head) return reply(std::move(response));
  Transaction tx(host_);
  tx.exec(viewed_, {share.tenant, share.id, host_.wall_ms()}, 1);
  NewEvent event;
  event.topic = "share.viewed";
  event.tenant = share.tenant;
  event.subject = share.file;
  event.correlation = visit.correlation;
  event.payload = share_viewed_data(share, visit.remote);
  tx.emit(event);
  std::move(tx).commit(alive_.bind(
      [this, visit, response = std::move(response), reply = std::move(reply)](const Commit& outcome) mutable {
        if (outcome.code() == Code::conflict) return reply(missing(visit));
        if (!outcome) return reply(outcome.error());
        views_.add();
        reply(std::move(response));
      }));
}

}  // namespace patchbay::transcripts
