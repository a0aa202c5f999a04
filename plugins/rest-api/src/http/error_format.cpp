#include "error_format.h"

#include <patchbay/json_string.h>

#include <string>

namespace patchbay::rest_api {

Response error_response(int status, std::string_view code, std::string_view description) {
  Response response;
  response.status = status;
  response.body.reserve(48 + code.size() + description.size());
  response.body = R"({"error":)";
  append_json_string(response.body, code);
  response.body += R"(,"error_description":)";
  append_json_string(response.body, description);
  response.body += "}";
  return response;
}

Response message_response(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = R"({"error":)";
  append_json_string(response.body, text);
  response.body += "}";
  return response;
}

Response refusal_response(const Refusal& refusal, bool message_errors) {
  Response response = message_errors ? message_response(refusal.status, refusal.description)
                                     : error_response(refusal.status, refusal.code, refusal.description);
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", refusal.challenge);
  if (refusal.status == 429 || refusal.status == 503)
    response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after_sec));
  return response;
}

}  // namespace patchbay::rest_api
