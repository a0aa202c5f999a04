#include "anonymous_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "limits.h"
#include "rate/address_key.h"

namespace patchbay::rest_api {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr char kOthers[] = "other addresses";

}  // namespace

bool AnonymousLog::takes_line(std::string_view client, int status) {
  std::string key = lib::address_key(client);
  if (seen_.size() >= kMaxAnonymousAddresses && seen_.find(key) == seen_.end()) key = kOthers;
  Seen& seen = seen_[std::move(key)];
  if (!timer_.armed()) timer_.after_ms(kMinuteMs, [this] { write_summaries(); });
  if (seen.lines < kMaxAnonymousLinesPerAddress && lines_ < kMaxAnonymousLines) {
    ++seen.lines;
    ++lines_;
    return true;
  }
  ++seen.requests;
  ++seen.counts[status];
  return false;
}

void AnonymousLog::write_summaries() {
  lines_ = 0;
  Seen rest;
  std::vector<std::pair<std::string, Seen>> all;
  for (auto& entry : std::exchange(seen_, {}))
    if (entry.second.requests > 0) all.emplace_back(entry.first, std::move(entry.second));
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.second.requests > b.second.requests; });
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [client, seen] = all[i];
    if (i < kMaxAnonymousSummaries && client != kOthers) {
      write(client, seen);
      continue;
    }
    rest.requests += seen.requests;
    for (const auto& [status, count] : seen.counts) rest.counts[status] += count;
  }
  if (rest.requests > 0) write(kOthers, rest);
}

void AnonymousLog::write(const std::string& client, const Seen& seen) const {
  std::string counts;
  for (const auto& [status, count] : seen.counts)
    counts += (counts.empty() ? "" : ", ") + std::to_string(status) + ": " + std::to_string(count);
  Log(*host_).info("anonymous requests without a log line each",
                   {{"remote", client}, {"requests", seen.requests}, {"by_status", counts}});
}

}  // namespace patchbay::rest_api
