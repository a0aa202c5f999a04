// The secrets that sign a subscription's deliveries.
#pragma once

#include <patchbay/json.h>
#include <patchbay/log.h>
#include <patchbay/result.h>

#include <cstdint>
#include <memory>
#include <string>

namespace patchbay::webhooks {

struct Secret {
  int64_t rev = 0;
  int64_t since_ms = 0;
  std::string value;  // "": could not be unsealed
  std::unique_ptr<SecretGuard> guard;
};

// The secret in the body of a request, or a new one of 256 bits. Code::invalid: too weak, such as a sentence
// or repeated characters; the text is for the client.
Result<std::string> read_secret(JsonView body);

}  // namespace patchbay::webhooks
