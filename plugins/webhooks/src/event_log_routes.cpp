#include "event_log_routes.h"

#include <patchbay/json.h>
#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "route_schemas.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

constexpr std::string_view kEventsPath = "/api.ashx/v1/events";

constexpr char kEventsExample[] =
    R"({"reply": {"data": [{"seq": 17, "event": "call.ended", "tenant": "acme.example",
  "ts": "2026-11-22T12:30:05.120Z", "data": {"callId": "oac-0123456789ab"}}],
  "after": 17, "newest": 17, "next": null}})";

constexpr char kEventsDocuments[] = R"({
  "requestHeaders": {"Last-Event-ID": "Of a stream: the id of the last event that the client has; it takes precedence over `after`"},
  "statuses": {
  "200": "One page as JSON. With `Accept: text/event-stream`, a stream: the events after `after`, then each new event, with its `seq` as id, its name as event and the item of the list as data, on one line. An event `core.gone` says that the log no longer has the next ones",
  "410": "gone: the log, which keeps 30 days, no longer has all events after `after`; the body has, beside the error, `oldest`, the least `after` from which it does, and `newest`"}})";

// The URL of the next page: the parameters of the request, except for the cursor.
std::string next_url(const http::Request& request, int64_t after) {
  std::string url(kEventsPath);
  url += "?after=" + std::to_string(after);
  for (const auto& [name, value] : request.query) {
    if (name == "after") continue;
    url.append("&").append(percent_encode(name)).append("=").append(percent_encode(value));
  }
  return url;
}

std::string page_json(const http::Request& request, const EventPage& page) {
  JsonWriter body;
  body.object().key("data").array();
  for (const EventPage::Item& item : page.items) body.raw(item.json());
  body.end().member("after", page.after).member("newest", page.newest).key("next");
  if (page.after < page.newest) {
    body.value(next_url(request, page.after));
  } else {
    body.null();
  }
  return std::move(body.end()).str();
}

// Whether the client asks for server-sent events, as an EventSource does.
bool wants_stream(std::string_view accept) {
  for (const std::string_view range : split(accept, ',')) {
    const auto parts = split(range, ';');
    if (parts.empty() || !equals_ignoring_case(trim(parts.front()), "text/event-stream")) continue;
    return std::none_of(parts.begin() + 1, parts.end(), [](std::string_view parameter) {
      parameter = trim(parameter);
      return equals_ignoring_case(parameter.substr(0, 3), "q=0") &&
             parameter.find_first_not_of("0.", 3) == std::string_view::npos;
    });
  }
  return false;
}

// Where a stream continues: a client that connects again repeats its URL, and in the header the last id.
Status read_last_event_id(const http::Request& request, EventQuery& query) {
  const std::string_view id = trim(request.headers.text("last-event-id"));
  if (id.empty()) return {};
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), query.after);
  if (error != std::errc() || end != id.data() + id.size() || query.after < 0)
    return {Code::invalid,
            "Last-Event-ID is the id of an event of this stream, for example Last-Event-ID: 17"};
  return {};
}

// What a page cannot be returned for; nothing: it can.
std::optional<http::Response> refusal(const EventQuery& query, const EventPage& page) {
  if (query.after > page.newest)
    return http::error(400, "invalid_request",
                       "after is beyond the newest event; use the seq of an event, for example after=17");
  if (page.oldest <= query.after || query.after == EventQuery::kFromOldest) return std::nullopt;
  JsonWriter body;
  body.object()
      .member("error", "gone")
      .member("error_description", "the log no longer has all events up to number " +
                                       std::to_string(page.oldest) + "; continue with that one as after")
      .member("oldest", page.oldest)
      .member("newest", page.newest)
      .end();
  http::Response gone = http::ok(std::move(body).str());
  gone.status = 410;
  return gone;
}

}  // namespace

EventLogRoutes::EventLogRoutes(const Host& host, const EventCatalogue& catalogue,
                               const EventLogReader& reader, EventStreams& streams)
    : catalogue_(catalogue), reader_(reader), streams_(streams), routes_(host) {
  routes_.add(route(),
              [this](const http::Request& request, Reply reply) { list(request, std::move(reply)); });
}

http::Route EventLogRoutes::route() const {
  http::Route route;
  route.method = "GET";
  route.path = kEventsPath;
  route.area = "webhooks";
  route.summary =
      "Lists or streams the events that webhooks deliver, oldest first, for clients that missed some";
  route.kind = "events";
  route.origins = "*";  // because the bearer decides, which no page of another origin has by itself
  route.max_per_address = kMaxStreamsPerAddress;
  route.max_per_tenant = kMaxStreamsPerTenant;
  route.max_unsent_bytes = kMaxUnsentBytes;
  route.ping_ms = kStreamPingMs;
  route.query_schema = event_query_schema(catalogue_);
  route.reply_schema = event_page_schema();
  route.example = kEventsExample;
  route.documents = kEventsDocuments;
  return route;
}

Result<EventQuery> EventLogRoutes::read_query(const http::Request& request) const {
  EventQuery query;
  query.tenant = request.tenant;
  query.after = request.query.integer("after", EventQuery::kFromOldest);
  query.limit = static_cast<size_t>(std::min(request.query.integer("limit", 50), kMaxEventsPerPage));
  if (wants_stream(request.headers.text("accept"))) {
    query.limit = kMaxEventsPerStreamPage;
    query.max_bytes = kMaxStreamPageBytes;
    PB_TRY(read_last_event_id(request, query));
  }
  for (std::string_view rest = request.query.text("topic"); !rest.empty();) {
    const auto comma = rest.find(',');
    query.topics.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  const Status known = catalogue_.check(query.topics, "topic");
  if (!known) return known.error();
  return query;
}

void EventLogRoutes::list(const http::Request& request, Reply reply) {
  auto query = read_query(request);
  if (!query) return reply(http::error(400, "invalid_request", query.error().text));
  reader_.read(*query, alive_.bind([this, query = *query, request,
                                    reply = std::move(reply)](Result<EventPage> page) mutable {
    if (!page) return reply(page.error());
    if (auto refused = refusal(query, *page)) return reply(*std::move(refused));
    if (wants_stream(request.headers.text("accept")))
      return streams_.open(request, std::move(query), *page, std::move(reply));
    reply(http::ok(page_json(request, *page)));
  }));
}

}  // namespace patchbay::webhooks
