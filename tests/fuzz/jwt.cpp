// Only the tokens of the seeds are accepted; the claims of a signed token may be any bytes. The first byte
// selects which of the two is tested.
#include "jwt.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "abi/host_context.h"

using namespace patchbay;
using namespace patchbay::identity;

namespace {

// Used by this test only.
constexpr char kPem[] = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIPVQkDR4ouP/kCtJurVhiEflzhI6UmFeOKG2QbgeC5R2oAoGCCqGSM49
AwEHoUQDQgAEmWMtmAf6IuZMqaOISTyE5PB2kxjXdncDkmdIe8bG1BbTywYnbMIr
WqI9/ZJf7LZrZspCqi1H1ggxPm+f1TxwMw==
-----END EC PRIVATE KEY-----)";
constexpr int64_t kNow = 1'800'000'000;

Result<Json> parse(std::string_view text) {
  const pb_json& table = core::json_table_without_host();
  pb_json_doc* doc = nullptr;
  pb_err err = empty_error();
  const int32_t status = table.parse(nullptr, to_abi(text), &doc, &err);
  if (status != PB_OK) return read_error(status, &err);
  return Json(&table, nullptr, doc);
}

const KeyRing& ring() {
  static const KeyRing keys = [] {
    std::vector<SigningKey> all;
    auto key = SigningKey::from_pem(kPem);
    if (!key) std::abort();
    all.push_back(*std::move(key));
    return KeyRing(std::move(all));
  }();
  return keys;
}

const JwtRules& rules() {
  static const JwtRules all{ring(), &parse, [](std::string_view) { return std::string("https://a.example"); },
                            "patchbay", kNow};
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (*data != 'c') {
    const auto claims = verify_access_token(text, rules());
    if (claims && claims->username != "seed") std::abort();
    if (verify_id_token_hint(text, rules())) std::abort();  // no seed is an id_token
    return 0;
  }
  const auto token = sign_jwt(ring().current(), kAccessType, text);
  if (!token) std::abort();
  const auto claims = verify_access_token(*token, rules());
  if (claims && (claims->issuer != "https://a.example" || claims->expires_sec <= kNow)) std::abort();
  return 0;
}
