#include "answers.h"

#include <patchbay/services/http_rules.h>

namespace patchbay::rest_api {
Response refuse(const Refusal& refusal, const http::Route& route) {
  Response response = route.message_errors
                          ? message_response(refusal.status, refusal.description)
                          : error_response(refusal.status, refusal.code, refusal.description);
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", refusal.challenge);
  if (refusal.status == 429 || refusal.status == 503)
    response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after_sec));
  return response;
}

Refusal refusal_of_failure(const Error& error) {
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

Result<Response> response_of(const Host& host, http::Response answer) {
  PB_TRY(http::check_response(host, answer));
  Response response;
  response.status = static_cast<int>(answer.status);
  if (!answer.headers.empty()) {
    PB_TRY_VALUE(const Json headers, host.parse_json(answer.headers));
    const JsonView all = headers.root();
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string name(all.key(i));
      const JsonView value = all.at(i);
      if (value.is_string()) response.headers.emplace_back(name, value.text());
      for (size_t n = 0; value.is_array() && n < value.size(); ++n)
        response.headers.emplace_back(name, value.at(n).text());
    }
  }
  if (!answer.body.empty()) response.headers.emplace_back("Content-Type", answer.content_type);
  response.body = std::move(answer.body);
  return response;
}

}  // namespace patchbay::rest_api
