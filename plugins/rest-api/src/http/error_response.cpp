#include "error_response.h"

#include <patchbay/json_string.h>

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

}  // namespace patchbay::rest_api
