#include "signature.h"

#include <patchbay/hex.h>
#include <patchbay/json.h>
#include <patchbay/utc.h>

#include "crypto/digest.h"

namespace patchbay::webhooks {

std::string envelope(std::string_view topic, std::string_view tenant, int64_t time_ms,
                     std::string_view data) {
  JsonWriter body;
  body.object()
      .member("event", topic)
      .member("tenant", tenant)
      .member("ts", utc_text(time_ms))
      .key("data")
      .raw(data.empty() ? "{}" : data)
      .end();
  return std::move(body).str();
}

std::string signature(std::string_view secret, std::string_view body) {
  return "sha256=" + to_hex(lib::hmac_sha256(secret, body));
}

std::string signature_v2(std::string_view secret, std::string_view timestamp, std::string_view body) {
  std::string signed_text(timestamp);
  signed_text.append(".").append(body);
  return signature(secret, signed_text);
}

std::string delivery_id(std::string_view event, std::string_view subscription) {
  std::string both(event);
  both.append(",").append(subscription);
  return to_hex(lib::sha256(both)).substr(0, 32);
}

std::string subscription_id(std::string_view tenant, std::string_view url) {
  std::string both(tenant);
  both.append(url);
  return to_hex(lib::sha256(both)).substr(0, 16);
}

}  // namespace patchbay::webhooks
