#include "handler_response.h"

#include <patchbay/services/http_rules.h>

#include "http/error_response.h"

namespace patchbay::rest_api {

Response refusal_response(const Refusal& refusal, const http::Route& route) {
  Response response = route.message_errors
                          ? message_response(refusal.status, refusal.description)
                          : error_response(refusal.status, refusal.code, refusal.description);
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", refusal.challenge);
  if (refusal.status == 429 || refusal.status == 503)
    response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after_sec));
  return response;
}

Refusal refusal_for(const Error& error) {
  switch (error.code) {
    case Code::unavailable:
    case Code::gone:
    case Code::exhausted:
    case Code::timeout:
      return {503, "unavailable", "this is not available at the moment; try again later"};
    default:
      return {500, "internal_error", "the request could not be processed"};
  }
}

Result<Response> server_response(http::Response answer) {
  PB_TRY(http::check_response(answer));
  Response response;
  response.status = static_cast<int>(answer.status);
  for (const auto& [name, value] : answer.headers) response.headers.emplace_back(name, value);
  response.body = std::move(answer.body);
  response.bytes = std::move(answer.bytes);
  if (!response.content().empty()) response.headers.emplace_back("Content-Type", answer.content_type);
  return response;
}

}  // namespace patchbay::rest_api
