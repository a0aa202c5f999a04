#include "refusal_log.h"

#include "rate/address_key.h"

namespace patchbay::rest_api {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr size_t kMostAddresses = 4096;  // further ones share a place, so that a minute's memory is bounded
constexpr char kOthers[] = "other addresses";

}  // namespace

bool RefusalLog::takes_line(std::string_view client, int status) {
  std::string key = lib::address_key(client);
  if (seen_.size() >= kMostAddresses && seen_.find(key) == seen_.end()) key = kOthers;
  Seen& seen = seen_[std::move(key)];
  if (!timer_.armed()) timer_.after_ms(kMinuteMs, [this] { sum_up(); });
  if (seen.lines < kLinesPerMinute) {
    ++seen.lines;
    return true;
  }
  ++seen.counts[status];
  return false;
}

void RefusalLog::sum_up() {
  for (const auto& [client, seen] : std::exchange(seen_, {})) {
    std::string counts;
    uint64_t sum = 0;
    for (const auto& [status, count] : seen.counts) {
      counts += (counts.empty() ? "" : ", ") + std::to_string(status) + ": " + std::to_string(count);
      sum += count;
    }
    if (sum == 0) continue;
    Log(*host_).info("requests without credentials were refused; they have no lines of their own",
                     {{"remote", client}, {"requests", sum}, {"by_status", counts}});
  }
}

}  // namespace patchbay::rest_api
