#include "dialogs/digest.h"

#include <openssl/evp.h>
#include <patchbay/hex.h>
#include <patchbay/random_id.h>
#include <patchbay/text.h>
#include <strings.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stack/sip_limits.h"
#include "stack/sofia.h"

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

struct Algorithm {
  const char* name;
  const EVP_MD* (*hash)();
  bool has_session;  // the key depends on our nonce, which only an answer with qop carries
};

constexpr Algorithm kAlgorithms[] = {{"MD5", EVP_md5, false},
                                     {"MD5-sess", EVP_md5, true},
                                     {"SHA-256", EVP_sha256, false},
                                     {"SHA-256-sess", EVP_sha256, true},
                                     {"SHA-512-256", EVP_sha512_256, false},
                                     {"SHA-512-256-sess", EVP_sha512_256, true}};

// null: unknown.
const Algorithm* algorithm_of(const Challenge& challenge) {
  const std::string name = parameter(challenge, "algorithm");
  if (name.empty()) return &kAlgorithms[0];
  for (const Algorithm& known : kAlgorithms)
    if (equals_ignoring_case(name, known.name)) return &known;
  return nullptr;
}

// The qop of our answer; empty: the challenge has none.
const char* qop_for(const Challenge& challenge) {
  return offers_qop(challenge, "auth") ? "auth" : offers_qop(challenge, "auth-int") ? "auth-int" : "";
}

// Returns why the challenge cannot be answered; empty if it can.
std::string why_unanswerable(const Challenge& challenge, const TrunkAccess& trunk) {
  if (!equals_ignoring_case(challenge.scheme, "Digest"))
    return "the trunk asks for another scheme than Digest";
  const Algorithm* const algorithm = algorithm_of(challenge);
  if (algorithm == nullptr)
    return "the trunk asks for the digest algorithm " +
           printable_ascii(parameter(challenge, "algorithm"), kMaxShownParameterBytes) +
           ", known are MD5, SHA-256 and SHA-512-256";
  if (algorithm->has_session && *qop_for(challenge) == '\0')
    return std::string("the trunk asks for the digest algorithm ") + algorithm->name + " without qop";
  const std::string realm = parameter(challenge, "realm");
  if (realm.empty() || realm != trunk.realm)
    return "the trunk asks for credentials of the realm \"" +
           printable_ascii(realm, kMaxShownParameterBytes) + "\", configured is \"" + trunk.realm + "\"";
  if (parameter(challenge, "nonce").empty()) return "the trunk's challenge has no nonce";
  if (parameter(challenge, "nonce").size() + parameter(challenge, "opaque").size() > kMaxChallengeBytes)
    return "the trunk's challenge is too long";
  return {};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Computes the answer (RFC 7616 section 3.4). Empty: the system gives no random number, or lacks the hash.
std::string answer_to(const Challenge& challenge, const TrunkAccess& trunk, const DigestRequest& request) {
  const Algorithm& algorithm = *algorithm_of(challenge);
  bool is_complete = true;
  const auto hash = [&](const std::string& text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    is_complete =
        EVP_Digest(text.data(), text.size(), digest, &size, algorithm.hash(), nullptr) == 1 && is_complete;
    return to_hex({reinterpret_cast<const char*>(digest), size});
  };
  const auto ours = random_id({}, 24);
  if (!ours) return {};
  const std::string realm = parameter(challenge, "realm"), nonce = parameter(challenge, "nonce");
  const std::string qop = qop_for(challenge), count = "00000001";
  std::string key = hash(trunk.username + ":" + realm + ":" + trunk.password);
  if (algorithm.has_session) key = hash(key + ":" + nonce + ":" + *ours);
  std::string message = request.method + ":" + request.uri;
  if (qop == "auth-int") message += ":" + hash(request.body);
  const std::string proof = qop.empty() ? nonce : nonce + ":" + count + ":" + *ours + ":" + qop;
  const std::string response = hash(key + ":" + proof + ":" + hash(message));
  if (!is_complete) return {};
  std::string text = "Digest username=" + quoted(trunk.username) + ", realm=" + quoted(realm) +
                     ", nonce=" + quoted(nonce) + ", uri=" + quoted(request.uri) +
                     ", algorithm=" + algorithm.name + ", response=\"" + response + "\"";
  if (const std::string opaque = parameter(challenge, "opaque"); !opaque.empty())
    text += ", opaque=" + quoted(opaque);
  if (!qop.empty()) text += ", qop=" + qop + ", nc=" + count + ", cnonce=\"" + *ours + "\"";
  return text;
}

}  // namespace

bool is_stale(const sip_t& response) {
  const auto all = challenges(response);
  return !all.empty() && equals_ignoring_case(parameter(all.front(), "stale"), "true");
}

Result<std::string> digest_answer(const sip_t& response, const TrunkAccess& trunk,
                                  const DigestRequest& request) {
  if (trunk.username.empty()) return {Code::denied, "the trunk asks for credentials and none are configured"};
  std::string why = "the trunk asks for credentials without a challenge";
  for (const Challenge& next : challenges(response)) {
    std::string obstacle = why_unanswerable(next, trunk);
    if (!obstacle.empty()) {
      why = std::move(obstacle);
      continue;
    }
    std::string text = answer_to(next, trunk, request);
    if (!text.empty()) return text;
    why = "the trunk's challenge cannot be answered";
  }
  return {Code::denied, why};
}

}  // namespace patchbay::sip_trunk
