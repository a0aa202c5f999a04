#include "sip_passwords.h"

#include <openssl/evp.h>
#include <patchbay/hex.h>
#include <patchbay/store.h>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "identity_limits.h"

namespace patchbay::identity {
namespace {

std::string seal_context(const std::string& tenant, const std::string& name) {
  return "identity_user/" + tenant + "/" + name;
}

Result<std::string> md5(const std::string& text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size, EVP_md5(),
                 nullptr) != 1)
    return {Code::unsupported, "this OpenSSL has no MD5"};
  digest.resize(size);
  return digest;
}

}  // namespace

Result<SipPassword> make_sip_password(const Host& host, const std::string& tenant, const std::string& name) {
  SipPassword made;
  PB_TRY_VALUE(made.plain, lib::random_base62(kSipPasswordBytes));
  PB_TRY_VALUE(made.sealed, seal(host, made.plain, seal_context(tenant, name)));
  return made;
}

Result<auth::SipCredential> sip_credential(const Context& context, const auth::SipDigest& request) {
  if (request.algorithm != "MD5" && request.algorithm != "SHA-256")
    return {Code::invalid, "algorithm must be MD5 or SHA-256"};
  const User* user = context.users.enabled(request.tenant, request.username);
  if (user == nullptr) return {Code::denied, "an unknown or disabled user"};
  const Account& account = context.users.account(*user);
  if (account.sealed_sip_password.empty()) return {Code::denied, "the user has no SIP password"};
  PB_TRY_VALUE(const std::string password,
               unseal(context.host, account.sealed_sip_password, seal_context(user->tenant, user->name)));
  const std::string text = user->name + ":" + request.realm + ":" + password;
  auth::SipCredential credential;
  credential.subject = user->subject;
  if (request.algorithm == "MD5") {
    PB_TRY_VALUE(const std::string digest, md5(text));
    credential.ha1 = to_hex(digest);
  } else {
    credential.ha1 = to_hex(lib::sha256(text));
  }
  return credential;
}

}  // namespace patchbay::identity
