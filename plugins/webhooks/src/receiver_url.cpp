#include "receiver_url.h"

#include <algorithm>
#include <memory>

#include "curl/curl_functions.h"
#include "receiver_address.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

class Url {
 public:
  explicit Url(const lib::CurlFunctions& curl) : curl_(curl), url_(curl.url(), curl.url_cleanup) {}

  bool parse(const std::string& text, unsigned flags) const {
    return url_ && curl_.url_set(url_.get(), CURLUPART_URL, text.c_str(), flags) == CURLUE_OK;
  }
  // "" when the part is missing.
  std::string part(CURLUPart what) const {
    char* text = nullptr;
    if (curl_.url_get(url_.get(), what, &text, 0) != CURLUE_OK) return {};
    std::string copy(text);
    curl_.free(text);
    return copy;
  }

 private:
  const lib::CurlFunctions& curl_;
  std::unique_ptr<CURLU, decltype(lib::CurlFunctions::url_cleanup)> url_;
};

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool names_this_machine(std::string host) {
  while (!host.empty() && host.back() == '.') host.pop_back();
  std::transform(host.begin(), host.end(), host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string suffix = ".localhost";
  return host == "localhost" || (host.size() > suffix.size() &&
                                 host.compare(host.size() - suffix.size(), suffix.size(), suffix) == 0);
}

Status check_host(std::string host) {
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (names_this_machine(host) || (is_ip_text(host) && (!is_public_text(host) || is_own_text(host))))
    return {Code::invalid, "must lead to a public address; see allowPrivateReceivers"};
  return {};
}

}  // namespace

Status check_receiver_url(const std::string& url, bool allow_private) {
  if (url.empty() || url.size() > kMaxUrlBytes)
    return {Code::invalid, "must be a URL of 1 to 2048 characters"};
  if (!is_printable(url)) return {Code::invalid, "must be a URL of printable ASCII characters"};
  PB_TRY_VALUE(const lib::CurlFunctions* curl, lib::load_curl());
  const Url parsed(*curl);
  if (!parsed.parse(url, CURLU_NON_SUPPORT_SCHEME))
    return {Code::invalid, "must be a URL such as https://example.com/hook"};
  const std::string scheme = parsed.part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return {Code::invalid, "must begin with https:// or http://"};
  // Checked as written, because the parser accepts "https:///host", "https:/host" and "https://@host".
  const size_t slashes = scheme.size() + 3;
  if (url.compare(scheme.size(), 3, "://") != 0)
    return {Code::invalid, "must begin with https:// or http://"};
  const std::string authority = url.substr(slashes, url.find_first_of("/?#", slashes) - slashes);
  if (authority.empty()) return {Code::invalid, "must name a host"};
  const bool has_user = !parsed.part(CURLUPART_USER).empty() || !parsed.part(CURLUPART_PASSWORD).empty();
  if (has_user || authority.find('@') != std::string::npos)
    return {Code::invalid, "must not hold a user name"};
  if (parsed.part(CURLUPART_PORT) == "0") return {Code::invalid, "must have a port from 1 to 65535"};
  return allow_private ? Status() : check_host(parsed.part(CURLUPART_HOST));
}

std::string loggable(const std::string& url) {
  const auto curl = lib::load_curl();
  if (!curl) return "?";
  const Url parsed(**curl);
  if (!parsed.parse(url, 0)) return "?";
  const std::string port = parsed.part(CURLUPART_PORT);
  return parsed.part(CURLUPART_SCHEME) + "://" + parsed.part(CURLUPART_HOST) +
         (port.empty() ? "" : ":" + port);
}

}  // namespace patchbay::webhooks
