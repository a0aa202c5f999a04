#include "envelope.h"

#include <patchbay/json.h>

#include "utc/utc.h"

namespace patchbay::webhooks {

std::string envelope(std::string_view topic, std::string_view tenant, int64_t time_ms,
                     std::string_view data) {
  JsonWriter body;
  body.object()
      .member("event", topic)
      .member("tenant", tenant)
      .member("ts", lib::utc_text(time_ms))
      .key("data")
      .raw(data.empty() ? "{}" : data)
      .end();
  return std::move(body).str();
}

}  // namespace patchbay::webhooks
