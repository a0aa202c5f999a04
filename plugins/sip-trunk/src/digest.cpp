#include "digest.h"

#include <strings.h>

#include <cctype>
#include <string>
#include <utility>

#include "header_text.h"
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

std::string printable(const std::string& text) {
  std::string out;
  for (char c : text.substr(0, 64))
    if (c >= ' ' && c < 0x7F) out += c;
  return out;
}

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

std::string parameter(const msg_auth_t* challenge, const char* name) {
  return unquoted(msg_params_find(challenge->au_params, name));
}

// Empty when we can answer; otherwise what stands in the way.
std::string obstacle(const msg_auth_t* challenge, const TrunkAccess& trunk) {
  if (challenge->au_scheme == nullptr || strcasecmp(challenge->au_scheme, "Digest") != 0)
    return "the trunk asks for another scheme than Digest";
  const std::string algorithm = parameter(challenge, "algorithm=");
  if (!algorithm.empty() && strcasecmp(algorithm.c_str(), "MD5") != 0)
    return "the trunk asks for another digest algorithm than MD5";
  const std::string realm = parameter(challenge, "realm=");
  if (realm.empty() || realm != trunk.realm)
    return "the trunk asks for credentials of the realm \"" + printable(realm) + "\", configured is \"" +
           trunk.realm + "\"";
  return {};
}

// The challenge alone, with qop reduced to auth where that is among its values: sofia-sip would take
// auth-int.
msg_auth_t one_challenge(su_home_t* home, const msg_auth_t* challenge) {
  msg_auth_t one = *challenge;
  one.au_next = nullptr;
  const std::string qop = "," + parameter(challenge, "qop=") + ",";
  std::string compact;
  for (char c : qop)
    if (c != ' ' && c != '\t') compact += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (compact.find(",auth,") == std::string::npos) return one;
  size_t count = 0;
  while (challenge->au_params != nullptr && challenge->au_params[count] != nullptr) ++count;
  auto* params = static_cast<msg_param_t*>(su_alloc(home, (count + 1) * sizeof(msg_param_t)));
  if (params == nullptr) return one;
  for (size_t i = 0; i < count; ++i) {
    const bool is_qop = strncasecmp(challenge->au_params[i], "qop=", 4) == 0;
    params[i] = is_qop ? "qop=\"auth\"" : challenge->au_params[i];
  }
  params[count] = nullptr;
  one.au_params = params;
  return one;
}

const msg_auth_t* challenges(const sip_t& response) {
  const bool by_proxy = response.sip_status != nullptr && response.sip_status->st_status == 407;
  return by_proxy ? response.sip_proxy_authenticate : response.sip_www_authenticate;
}

}  // namespace

bool is_stale(const sip_t& response) {
  const msg_auth_t* challenge = challenges(response);
  return challenge != nullptr && strcasecmp(parameter(challenge, "stale=").c_str(), "true") == 0;
}

Result<std::string> digest_answer(const sip_t& response, const TrunkAccess& trunk,
                                  const DigestRequest& request) {
  if (trunk.username.empty()) return {Code::denied, "the trunk asks for credentials and none are configured"};
  const bool by_proxy = response.sip_status->st_status == 407;
  std::string why = "the trunk asks for credentials without a challenge";
  for (const msg_auth_t* next = challenges(response); next != nullptr; next = next->au_next) {
    std::string in_the_way = obstacle(next, trunk);
    if (!in_the_way.empty()) {
      why = std::move(in_the_way);
      continue;
    }
    Home home;
    const msg_auth_t challenge = one_challenge(home.get(), next);
    auth_client_t* client = nullptr;
    msg_hclass_t* header_class = by_proxy ? sip_proxy_authorization_class : sip_authorization_class;
    const std::string realm = "\"" + parameter(next, "realm=") + "\"";
    msg_header_t* header = nullptr;
    const url_t* url = url_make(home.get(), request.uri.c_str());
    const msg_payload_t* body = sip_payload_make(home.get(), request.body.c_str());
    std::string text;
    if (url != nullptr && body != nullptr &&
        auc_challenge(&client, home.get(), &challenge, header_class) > 0 &&
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
