// patchbay.http: the public port. A plugin registers its routes and answers requests; the service root,
// /openapi.json, validation, 405 with Allow, the list envelope and the error bodies follow from the
// registration. Offered by rest-api. Maturity: experimental.
#pragma once

#include "../service.h"

namespace patchbay::http {

struct Route {
  std::string method;         // "GET"
  std::string path;           // "/api.ashx/v1/calls/{id}"
  std::string discriminator;  // query pair that tells routes of one path apart: "whitelist=list"; "" for none
  std::string surface = "public";  // "public", "management" (loopback) or "local" (the admin socket only)
  // Who may: "none" (no bearer is asked for), "user" (any bearer), "admin", "super". The admin socket passes
  // as super-admin.
  std::string role = "admin";
  std::string area;  // "calls": the group in documents
  std::string summary;
  std::string request_schema;  // JSON Schema of the body; "" when there is none: the body is then passed raw
  std::string query_schema;    // JSON Schema of the query's parameters; integers are read from their text
  std::string reply_schema;    // of a list: of one item
  std::string example;         // JSON {"request": ..., "reply": ...}
  bool list = false;  // a collection: limit and offset are read, the envelope is written (see Response)
  bool message_errors = false;  // error bodies are {"error": text}, as the whitelist endpoints' are
  bool oidc_only = false;       // an API key is not enough (403)
  bool catalogue = true;        // shown in the service root and /openapi.json
  Handle handler;               // instance of Handler
  // What /openapi.json shall say beyond the above, a JSON object; it changes nothing of how requests are
  // served:
  //   requestType, replyType   content types, by default application/json
  //   requestSchema            of a body that the handler itself checks, instead of request_schema
  //   statuses                 {"201": "Made"}: 2xx ones replace 200, others are added or described better
  //   requestHeaders, replyHeaders   {"Idempotency-Key": "what it does"}
  //   security                 {"bearer": null, "mine": <OpenAPI security scheme>}: any one of them will do
  std::string documents;
  // Of the body, when it shall be another than the server's (rest-api: limits.bodyBytes, 256 KiB); at most
  // 16 MiB. A limit that the operator sets applies nevertheless. Larger bodies are 413.
  int64_t max_body_bytes = 0;
  PATCHBAY_FIELDS(method, path, discriminator, surface, role, area, summary, request_schema, query_schema,
                  reply_schema, example, list, message_errors, oidc_only, catalogue, handler, documents,
                  max_body_bytes)
};

struct Request {
  std::string method;
  std::string path;     // decoded
  std::string params;   // JSON object: path parameters, decoded
  std::string query;    // JSON object: query parameters, decoded, validated, integers as integers
  std::string headers;  // JSON object: names in lower case
  std::string json;     // canonical body (camelCase, defaults filled) when the route has a request schema
  Buffer body;          // the bytes as they came
  std::string remote;   // address of the client (behind a configured proxy: what the proxy says)
  std::string host;     // Host header, normalised; "" on the admin socket
  std::string surface;
  // Whose data: the bearer's tenant, or the one a super-admin named by ?tenant=; for role "none" the tenant
  // of the Host header, "" when there is no such tenant.
  std::string tenant;
  std::string subject;   // of the bearer; "" when none was asked for
  std::string username;  // preferred_username, or "key:<name>", or "operator" on the admin socket
  std::string role;      // "admin", "user", ""
  bool is_super = false;
  bool is_key = false;
  int64_t limit = 50;  // of a list
  int64_t offset = 0;
  std::string correlation;  // for logs and events
  // `method` is then "GET", and the client gets the answer's head alone: it has seen nothing.
  bool is_head = false;
  PATCHBAY_FIELDS(method, path, params, query, headers, json, body, remote, host, surface, tenant, subject,
                  username, role, is_super, is_key, limit, offset, correlation, is_head)
};

struct Response {
  int64_t status = 200;
  std::string content_type = "application/json";
  std::string headers;  // JSON object of further headers; "" for none
  std::string body;
  // Of a list route: `body` is {"data":[...], siblings}; the edge adds total, limit, offset and next.
  int64_t total = -1;
  PATCHBAY_FIELDS(status, content_type, headers, body, total)
};

// What a route's owner provides.
// Thread: runs on the strand that the handler was provided on; may be answered later, from any.
// Lifetime: the request is a copy, its body a counted buffer. Withdrawing the handler ends the route.
// Since: 0.1
struct Handler {
  static constexpr char id[] = "patchbay.http.handler/1";
  // A failed answer becomes 500 internal_error (unavailable and gone: 503); every error that the client shall
  // understand is a Response, made by error(). A request without an answer after the server's deadline
  // (rest-api: limits.answerSec, 30 s; 5 s once the server stops) is 503 for the client, and a later answer
  // is dropped: work that takes longer answers at once and goes on as a job.
  static constexpr Method<0, Request, Response> handle{"handle"};
  static constexpr auto methods() { return std::make_tuple(handle); }
};

struct Registered {
  int64_t route = 0;
  PATCHBAY_FIELDS(route)
};

// Where plugins register their routes.
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

// {error, error_description}, as every error of the REST API has it.
inline Response error(int64_t status, std::string_view code, std::string_view description) {
  JsonWriter body;
  body.object().member("error", code).member("error_description", description).end();
  Response response;
  response.status = status;
  response.body = std::move(body).str();
  return response;
}

inline Response ok(std::string json) {
  Response response;
  response.body = std::move(json);
  return response;
}

}  // namespace patchbay::http
