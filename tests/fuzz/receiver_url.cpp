// URLs of webhook receivers: an accepted URL has an allowed scheme and is safe in a log.
#include "receiver_url.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string url(reinterpret_cast<const char*>(data), size);
  const bool open = patchbay::webhooks::check_receiver_url(url, true).ok();
  const bool guarded = patchbay::webhooks::check_receiver_url(url, false).ok();
  if (guarded && !open) std::abort();
  if (!open) return 0;
  const std::string name = patchbay::webhooks::loggable(url);
  if (name.rfind("http", 0) != 0 || name.find('@') != std::string::npos) std::abort();
  return 0;
}
