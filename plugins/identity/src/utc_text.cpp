#include "utc_text.h"

#include <cstdio>
#include <ctime>

namespace patchbay::identity {

std::string utc_text(int64_t wall_ms) {
  const std::time_t seconds = wall_ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(wall_ms % 1000));
  return text;
}

}  // namespace patchbay::identity
