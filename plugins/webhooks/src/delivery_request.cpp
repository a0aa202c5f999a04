#include "delivery_request.h"

#include <patchbay/hex.h>
#include <patchbay/json.h>
#include <patchbay/utc.h>

#include "crypto/digest.h"
#include "signature.h"

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

std::vector<std::string> delivery_headers(const Delivery& delivery, std::string_view secret, int64_t now_ms) {
  const std::string timestamp = std::to_string(now_ms / 1000);
  return {
      "Content-Type: application/json",
      "User-Agent: Patchbay-Webhooks/1",
      "Accept: */*",
      "Expect:",  // stops libcurl from waiting for 100 Continue
      "X-Platform-Event: " + delivery.topic,
      "X-Platform-Delivery-Id: " + delivery.id,
      "X-Platform-Attempt: " + std::to_string(delivery.attempt + 1),
      "X-Platform-Signature: " + signature(secret, delivery.body),
      "X-Platform-Timestamp: " + timestamp,
      "X-Platform-Signature-V2: " + signature_v2(secret, timestamp, delivery.body),
  };
}

std::string delivery_id(std::string_view event, std::string_view subscription) {
  std::string both(event);
  both.append(",").append(subscription);
  return to_hex(lib::sha256(both)).substr(0, 32);
}

}  // namespace patchbay::webhooks
