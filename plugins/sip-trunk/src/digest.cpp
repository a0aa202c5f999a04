#include "digest.h"

#include <patchbay/text.h>
#include <strings.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "header_text.h"
#include "sip_limits.h"
#include "sofia.h"

namespace patchbay::sip_trunk {
namespace {

std::string unquoted(const char* text) {
  std::string out;
  if (text == nullptr) return out;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c == '\\' && c[1] != '\0') {
      out += *++c;
    } else if (*c != '"') {
      out += *c;
    }
  }
  return out;
}

// A memory pool of sofia-sip.
class Home {
 public:
  Home() { su_home_init(home_); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() { su_home_deinit(home_); }
  su_home_t* get() noexcept { return home_; }

 private:
  su_home_t home_[1] = {SU_HOME_INIT(home_)};
};

// One challenge of a response, with its parameters as "name=value".
struct Challenge {
  std::string scheme;
  std::vector<std::string> parameters;
};

// Returns the scheme before a parameter: "Digest" of `Digest realm="r"`. Empty: no scheme.
std::string_view leading_scheme(std::string_view parameter) {
  const size_t blank = parameter.find(' ');
  const size_t equals = parameter.find('=');
  if (blank == std::string_view::npos || (equals != std::string_view::npos && equals < blank)) return {};
  return parameter.substr(0, blank);
}

// Returns all challenges in order. Sofia-sip parses each header line as one, but a line may hold several (RFC
// 7235 section 4.1): the scheme of each further one precedes its first parameter.
std::vector<Challenge> challenges(const sip_t& response) {
  const bool by_proxy = response.sip_status != nullptr && response.sip_status->st_status == 407;
  std::vector<Challenge> found;
  const msg_auth_t* line = by_proxy ? response.sip_proxy_authenticate : response.sip_www_authenticate;
  for (; line != nullptr && found.size() < kMaxChallenges; line = line->au_next) {
    found.push_back({line->au_scheme != nullptr ? line->au_scheme : "", {}});
    for (const msg_param_t* next = line->au_params; next != nullptr && *next != nullptr; ++next) {
      std::string_view parameter = *next;
      const std::string_view scheme = leading_scheme(parameter);
      if (!scheme.empty()) {
        found.push_back({std::string(scheme), {}});
        parameter.remove_prefix(scheme.size() + 1);
      }
      found.back().parameters.emplace_back(parameter);
    }
  }
  return found;
}

// Returns the value of `name`; empty if missing.
std::string parameter(const Challenge& challenge, std::string_view name) {
  for (const std::string& one : challenge.parameters)
    if (one.size() > name.size() && one[name.size()] == '=' &&
        strncasecmp(one.data(), name.data(), name.size()) == 0)
      return unquoted(one.c_str() + name.size() + 1);
  return {};
}

// Returns whether the qop parameter lists this value.
bool offers_qop(const Challenge& challenge, std::string_view wanted) {
  std::string compact = ",";
  for (char c : parameter(challenge, "qop"))
    if (c != ' ' && c != '\t') compact += lower(c);
  return (compact + ",").find("," + std::string(wanted) + ",") != std::string::npos;
}

// Returns why the challenge cannot be answered; empty if it can.
std::string why_unanswerable(const Challenge& challenge, const TrunkAccess& trunk) {
  if (!equals_ignoring_case(challenge.scheme, "Digest"))
    return "the trunk asks for another scheme than Digest";
  const std::string algorithm = parameter(challenge, "algorithm");
  const bool has_session = equals_ignoring_case(algorithm, "MD5-sess");
  if (!algorithm.empty() && !equals_ignoring_case(algorithm, "MD5") && !has_session)
    return "the trunk asks for the digest algorithm " + printable_ascii(algorithm, kMaxShownParameterBytes) +
           ", known are MD5 and MD5-sess";
  // MD5-sess needs our nonce, which only an answer with qop carries (RFC 2617 section 3.2.2).
  if (has_session && !offers_qop(challenge, "auth") && !offers_qop(challenge, "auth-int"))
    return "the trunk asks for the digest algorithm MD5-sess without qop";
  const std::string realm = parameter(challenge, "realm");
  if (realm.empty() || realm != trunk.realm)
    return "the trunk asks for credentials of the realm \"" +
           printable_ascii(realm, kMaxShownParameterBytes) + "\", configured is \"" + trunk.realm + "\"";
  if (parameter(challenge, "nonce").empty()) return "the trunk's challenge has no nonce";
  return {};
}

// Builds the header for sofia-sip, with qop reduced to auth if offered, because sofia-sip would choose
// auth-int.
msg_auth_t* to_answer(su_home_t* home, const Challenge& challenge) {
  std::string text = challenge.scheme;
  const bool has_auth = offers_qop(challenge, "auth");
  const char* separator = " ";
  for (const std::string& one : challenge.parameters) {
    const bool is_qop = has_auth && strncasecmp(one.c_str(), "qop=", 4) == 0;
    text += separator + (is_qop ? std::string("qop=\"auth\"") : one);
    separator = ", ";
  }
  return sip_www_authenticate_make(home, text.c_str());
}

}  // namespace

bool is_stale(const sip_t& response) {
  const auto all = challenges(response);
  return !all.empty() && equals_ignoring_case(parameter(all.front(), "stale"), "true");
}

Result<std::string> digest_answer(const sip_t& response, const TrunkAccess& trunk,
                                  const DigestRequest& request) {
  if (trunk.username.empty()) return {Code::denied, "the trunk asks for credentials and none are configured"};
  const bool by_proxy = response.sip_status->st_status == 407;
  std::string why = "the trunk asks for credentials without a challenge";
  for (const Challenge& next : challenges(response)) {
    std::string obstacle = why_unanswerable(next, trunk);
    if (!obstacle.empty()) {
      why = std::move(obstacle);
      continue;
    }
    Home home;
    const msg_auth_t* challenge = to_answer(home.get(), next);
    auth_client_t* client = nullptr;
    msg_hclass_t* header_class = by_proxy ? sip_proxy_authorization_class : sip_authorization_class;
    const std::string realm = "\"" + parameter(next, "realm") + "\"";
    msg_header_t* header = nullptr;
    const url_t* url = url_make(home.get(), request.uri.c_str());
    const msg_payload_t* body = sip_payload_make(home.get(), request.body.c_str());
    std::string text;
    if (challenge != nullptr && url != nullptr && body != nullptr &&
        auc_challenge(&client, home.get(), challenge, header_class) > 0 &&
        auc_all_credentials(&client, "Digest", realm.c_str(), trunk.username.c_str(),
                            trunk.password.c_str()) > 0 &&
        auc_authorization_headers(&client, home.get(), request.method.c_str(), url, body, &header) > 0 &&
        header != nullptr)
      text = header_text(header);
    if (!text.empty()) return text;
    why = "the trunk's challenge cannot be answered";
  }
  return {Code::denied, why};
}

}  // namespace patchbay::sip_trunk
