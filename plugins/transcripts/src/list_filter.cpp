#include "list_filter.h"

#include <patchbay/utc.h>

#include <algorithm>

namespace patchbay::transcripts {
namespace {

std::string like_pattern(std::string_view part) {
  std::string pattern = "%";
  for (const char c : part) {
    if (c == '%' || c == '_' || c == '!') pattern += '!';
    pattern += c;
  }
  return pattern + "%";
}

}  // namespace

Result<Filter> read_filter(const NameValues& query) {
  Filter filter;
  filter.source = query.text("source");
  const std::string_view part = query.text("q");
  if (!part.empty()) filter.pattern = like_pattern(part);
  const auto since = query.find("since");
  if (!since) return filter;
  const auto time_ms = parse_utc(*since);
  if (!time_ms) return {Code::invalid, "since must be a time such as 2026-01-31T12:00:00Z"};
  filter.since_ms = std::max<int64_t>(0, *time_ms);
  return filter;
}

}  // namespace patchbay::transcripts
