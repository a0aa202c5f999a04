#include "engine/close_reason.h"

namespace patchbay::lib {
namespace {

std::string in_brackets(std::string_view text) {
  return text.empty() ? std::string() : " (" + std::string(text) + ")";
}

std::string describe_http(int status) {
  const std::string code = " (HTTP " + std::to_string(status) + ")";
  if (status == 401 || status == 403) return "the AI engine refused the API key" + code;
  if (status == 429) return "the AI engine has no quota left for this API key" + code;
  if (status >= 500) return "the AI engine is out of order" + code;
  return "the AI engine refused the connection" + code;
}

}  // namespace

std::string describe_close(int code, std::string_view reason) {
  if (code >= 300 && code < 600) return describe_http(code);
  const size_t colon = reason.find(": ");
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : reason.substr(colon + 2);
  if (reason.starts_with("resolve "))
    return "the name of the AI engine cannot be resolved: " + std::string(reason.substr(8, colon - 8));
  if (reason.starts_with("connect: ")) return "the AI engine cannot be reached" + in_brackets(rest);
  if (reason.starts_with("TLS: ")) return "the AI engine cannot be trusted" + in_brackets(rest);
  if (reason.starts_with("handshake: ")) return "the AI engine does not answer" + in_brackets(rest);
  if (reason.starts_with("close "))
    return "the AI engine closed the connection" + in_brackets(reason.substr(6));
  if (reason.empty()) return "the AI engine closed the connection (" + std::to_string(code) + ")";
  return "the AI engine failed: " + std::string(reason);
}

}  // namespace patchbay::lib
