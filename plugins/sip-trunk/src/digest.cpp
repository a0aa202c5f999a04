#include "digest.h"

#include <strings.h>

#include <string>

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

std::string parameter(const msg_auth_t* challenge, const char* name) {
  return unquoted(msg_params_find(challenge->au_params, name));
}

bool is_answerable(const msg_auth_t* challenge, const TrunkAccess& trunk) {
  if (challenge->au_scheme == nullptr || strcasecmp(challenge->au_scheme, "Digest") != 0) return false;
  const std::string algorithm = parameter(challenge, "algorithm=");
  if (!algorithm.empty() && strcasecmp(algorithm.c_str(), "MD5") != 0) return false;
  const std::string realm = parameter(challenge, "realm=");
  return !realm.empty() && (trunk.realm.empty() || realm == trunk.realm);
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

Result<msg_header_t*> answer_challenge(su_home_t* home, const sip_t& response, const TrunkAccess& trunk,
                                       const char* uri) {
  if (trunk.username.empty()) return {Code::denied, "the trunk asks for credentials and none are configured"};
  const bool by_proxy = response.sip_status->st_status == 407;
  for (const msg_auth_t* next = challenges(response); next != nullptr; next = next->au_next) {
    if (!is_answerable(next, trunk)) continue;
    msg_auth_t challenge = *next;
    challenge.au_next = nullptr;
    auth_client_t* client = nullptr;
    msg_hclass_t* header_class = by_proxy ? sip_proxy_authorization_class : sip_authorization_class;
    const std::string realm = "\"" + parameter(next, "realm=") + "\"";
    msg_header_t* header = nullptr;
    url_t* url = url_make(home, uri);
    if (url == nullptr || auc_challenge(&client, home, &challenge, header_class) <= 0 ||
        auc_all_credentials(&client, "Digest", realm.c_str(), trunk.username.c_str(),
                            trunk.password.c_str()) <= 0 ||
        auc_authorization_headers(&client, home, "INVITE", url, nullptr, &header) <= 0 || header == nullptr)
      continue;
    return header;
  }
  return {Code::denied, "no challenge of the trunk's realm that MD5 answers"};
}

}  // namespace patchbay::sip_trunk
