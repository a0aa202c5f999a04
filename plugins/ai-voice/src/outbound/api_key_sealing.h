// Encrypts the API key of a call for the store, with the server's key file; the result is bound to the call.
#pragma once

#include <patchbay/store.h>

#include <string>

#include "outbound/call.h"

namespace patchbay::ai_voice {

inline std::string key_context(const std::string& call_id) { return "call-key/" + call_id; }

// "" stays "".
inline Result<std::string> seal_key(const Host& host, const Call& call) {
  if (call.api_key.empty()) return std::string();
  return seal(host, call.api_key, key_context(call.call_id));
}

// `call`: as read from the store.
inline Result<std::string> unseal_key(const Host& host, const Call& call) {
  if (call.api_key.empty()) return std::string();
  return unseal(host, call.api_key, key_context(call.call_id));
}

}  // namespace patchbay::ai_voice
