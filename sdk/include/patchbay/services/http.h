// patchbay.http: the public port. A plugin registers its routes and answers requests; the service root,
// /openapi.json, validation, 405 with Allow, the list envelope and the error bodies follow from the
// registration. Offered by rest-api. Maturity: experimental.
#pragma once

#include <memory>

#include "../name_values.h"
#include "../service.h"

namespace patchbay::http {

struct Route {
  std::string method;         // "GET"
  std::string path;           // "/api.ashx/v1/calls/{id}"
  std::string discriminator;  // query pair that distinguishes routes of one path: "whitelist=list"; "": none
  // Which listeners serve it: "public", "management" (loopback) or "local" (the admin socket only).
  std::string listener = "public";
  // The role a caller needs: "none" (no bearer), "user" (any bearer), "admin", "super". Requests over the
  // admin socket pass as super-admin.
  std::string role = "admin";
  std::string area;  // "calls": the group in documents
  std::string summary;
  // JSON Schema of the body; Routes refuses with 400 what does not fit, and the handler reads
  // Request::json(). "": the handler reads Request::body.
  std::string request_schema;
  std::string query_schema;  // JSON Schema of the query's parameters; integers are read from their text
  std::string reply_schema;  // of a list: of one item
  std::string example;       // JSON {"request": ..., "reply": ...}
  bool list = false;  // a collection: limit and offset are read, the envelope is written (see Response)
  bool message_errors = false;  // error bodies are {"error": text}, as the whitelist endpoints' are
  bool oidc_only = false;       // an API key is not enough (403)
  bool catalogue = true;        // shown in the service root and /openapi.json
  Handle handler;               // instance of Handler
  // What /openapi.json says beyond the above, a JSON object; it does not change how requests are served:
  //   requestType, replyType   content types, by default application/json; otherTypes: more of replies
  //   requestSchema            of a body that the handler itself checks, instead of request_schema
  //   statuses                 {"201": "Created"}: 2xx ones replace 200, others are added or described better
  //   requestHeaders, replyHeaders   {"Idempotency-Key": "what it does"}
  //   siblings                 of a list: JSON Schemas of the members beside data: {"tenant": {"type":
  //   "string"}} security                 {"bearer": null, "mine": <OpenAPI security scheme>}: any one is
  //   sufficient
  std::string documents;
  // The largest body, up to 15 MiB; larger ones get 413. 0: the server's limit (rest-api: limits.bodyBytes,
  // 256 KiB). A limit that the operator sets takes precedence, and so does an eighth of the memory for bodies
  // (limits.bodyMemoryBytes; 8 MiB by default).
  int64_t max_body_bytes = 0;

  // "": each request gets one response. The others, with method GET:
  //   "websocket"   requests for a WebSocket (RFC 6455); other requests of the path have their own routes
  //   "events"      the handler may answer by server-sent events (text/event-stream), or as any route
  // The handler of "websocket" and "events" opens the stream by Response::listener: see http_stream.h.
  std::string kind;
  // Limits of a stream, for each route. 0: the default, in parentheses.
  int64_t max_message_bytes = 0;  // of a client's message (64 KiB), up to 15 MiB; beyond it closes with 1009
  // What a client has not read (1 MiB), up to 64 MiB; beyond it closes with 1013.
  int64_t max_unsent_bytes = 0;
  int64_t idle_ms = 0;  // without a message in either direction (any time); then closes with 1001
  // Sends a ping, or a comment among events, after so long without octets (30 s). A WebSocket whose client
  // sends nothing for twice as long is lost: 1006.
  int64_t ping_ms = 0;
  int64_t max_per_address = 0;  // open streams of an IPv4 address or IPv6 /64 (20); more are 429
  int64_t max_per_tenant = 0;   // and of a tenant (1000); more are 503. Responses without one do not count
  // Origins of pages that may open the stream, separated by commas: "https://a.example, https://b.example".
  // "*": any. "": those of the request's own host. Others are 403. Clients other than browsers send none.
  std::string origins;
  // Of a WebSocket, separated by commas. Request::subprotocol is the first of them that the client offers.
  std::string subprotocols;
  PATCHBAY_FIELDS(method, path, discriminator, listener, role, area, summary, request_schema, query_schema,
                  reply_schema, example, list, message_errors, oidc_only, catalogue, handler, documents,
                  max_body_bytes, kind, max_message_bytes, max_unsent_bytes, idle_ms, ping_ms,
                  max_per_address, max_per_tenant, origins, subprotocols)
};

struct Request {
  std::string method;
  std::string path;    // decoded
  NameValues params;   // of the path, decoded
  NameValues query;    // decoded, validated, defaults filled in; read numbers with integer() and number()
  NameValues headers;  // names in lower case; repeated fields are joined by commas (RFC 9110 5.3)
  Buffer body;         // as received
  std::string remote;  // address of the client; behind a trusted proxy, as the proxy reports it
  std::string host;    // Host header, normalised; "" on the admin socket
  std::string listener;
  // The tenant the request is about: the bearer's, or the one a super-admin names by ?tenant=; for role
  // "none" the tenant of the Host header, "" when there is no such tenant.
  std::string tenant;
  std::string subject;      // of the bearer; "" when none was asked for
  std::string username;     // preferred_username, or "key:<name>", or "operator" on the admin socket
  std::string role;         // "admin", "user", ""
  std::string correlation;  // for logs and events
  bool is_super = false;
  bool is_key = false;
  int64_t limit = 50;  // of a list
  int64_t offset = 0;
  // A HEAD request, which a GET route serves: `method` is "GET". Answer as to GET; the client gets the head
  // only, so do not count the content as delivered.
  bool is_head = false;
  Handle connection;        // of a "websocket" or "events" route: instance of Connection (http_stream.h)
  std::string subprotocol;  // of a WebSocket, see Route::subprotocols; "": none
  PATCHBAY_FIELDS(method, path, params, query, headers, body, remote, host, listener, tenant, subject,
                  username, role, correlation, is_super, is_key, limit, offset, is_head, connection,
                  subprotocol)

  // The body, checked by the route's request_schema: names in camelCase, defaults filled in. Empty when the
  // route has no request_schema. Not part of the message: Routes (http_routes.h) parses the body, once, in
  // the handler's process.
  JsonView json() const noexcept { return document ? document->root() : JsonView(); }
  std::shared_ptr<const Json> document;  // shared by copies of the request
};

struct Response {
  int64_t status = 200;
  std::string content_type = "application/json";
  NameValues headers;  // additional ones; a name may occur several times
  std::string body;
  // The number of all items, in the response of a list route: `body` is {"data": [...], ...}, or `bytes` is
  // the array alone, and the server adds total, limit, offset and next. -1: the items are the last ones.
  int64_t total = -1;
  // Sent instead of `body` unless empty: any bytes, of `content_type`. Responses may share one buffer. file()
  // in http_file.h fills it from a file.
  Buffer bytes;
  // Of a list that skips no items to find a page, as that takes the longer the further back the page is:
  // where the next page begins, in any text. `next` then passes it on, in the query parameter `cursor`,
  // beside an `offset` that only counts. A handler of such a list declares `cursor` in query_schema, checks
  // it as any input, and ignores Request::offset when there is one. "": `next` has an offset alone, or is
  // null when the request had a cursor.
  std::string next_cursor;
  // Instance of StreamListener (http_stream.h): opens the stream of Request::connection. Of the other members
  // only `headers` are sent then.
  Handle listener;
  PATCHBAY_FIELDS(status, content_type, headers, body, total, bytes, next_cursor, listener)
};

// Answers the requests of a route. Routes (http_routes.h) provides it; a Handler that a plugin provides
// without Routes gets bodies unchecked.
// Thread: runs on the strand that the handler was provided on; may be answered later, from any.
// Lifetime: the request is a copy, its body a counted buffer. Withdrawing the handler removes the route.
// Since: 0.1
struct Handler {
  static constexpr char id[] = "patchbay.http.handler/1";
  // An Error becomes 500 internal_error (unavailable, gone, exhausted and timeout: 503 with Retry-After), and
  // its text goes to the log only; return errors meant for the client as a Response, made by error(). After
  // the server's deadline (rest-api: limits.answerSec, 30 s; 5 s once the server stops) the client gets 503
  // and a later response is dropped. For longer work, answer at once and run it as a job.
  static constexpr Method<0, Request, Response> handle{"handle"};
  static constexpr auto methods() { return std::make_tuple(handle); }
};

struct Registered {
  int64_t route = 0;
  PATCHBAY_FIELDS(route)
};

// Registers the routes of plugins.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: a route ends with its handler's instance, and with the provider: register again when it is back
//   (Routes in http_routes.h does).
// Since: 0.1
struct Http {
  static constexpr char id[] = "patchbay.http/1";
  // Code::conflict when method, path and discriminator are taken, Code::invalid when a schema or path is
  // wrong.
  static constexpr Method<0, Route, Registered> add_route{"add_route"};
  static constexpr auto methods() { return std::make_tuple(add_route); }
};

// {error, error_description}: the error body of the REST API.
inline Response error(int64_t status, std::string_view code, std::string_view description) {
  JsonWriter body;
  body.object().member("error", code).member("error_description", description).end();
  Response response;
  response.status = status;
  response.body = std::move(body).str();
  return response;
}

// {error: text}: the error body of routes with `message_errors`.
inline Response message_error(int64_t status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = JsonWriter().object().member("error", text).end().str();
  return response;
}

inline Response ok(std::string json) {
  Response response;
  response.body = std::move(json);
  return response;
}

}  // namespace patchbay::http
