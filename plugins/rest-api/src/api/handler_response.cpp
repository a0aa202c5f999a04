#include "handler_response.h"

#include <patchbay/services/http_rules.h>

namespace patchbay::rest_api {

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
  if (answer.bytes.size() > 0)
    response.bytes = std::move(answer.bytes);
  else
    response.body = std::move(answer.body);
  if (response.content_size() > 0) response.headers.emplace_back("Content-Type", answer.content_type);
  return response;
}

}  // namespace patchbay::rest_api
