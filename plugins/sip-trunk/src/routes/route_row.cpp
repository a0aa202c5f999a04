#include "routes/route_row.h"

#include <algorithm>
#include <utility>

namespace patchbay::sip_trunk {
namespace {

constexpr char kMatchRule[] = "match must be a number, a prefix followed by *, or global, such as \"+49*\"";
constexpr char kDidRule[] = "did must be a number, an extension, anonymous or *, such as \"+4930123456\"";
constexpr char kFromNumberRule[] =
    "fromNumber must be a number, a prefix followed by *, or anonymous, such as \"+49*\"";

}  // namespace

std::string_view domain_name(Domain domain) noexcept {
  return domain == Domain::outbound ? "outbound-routes" : "inbound-routes";
}

Result<RouteRow> RouteRow::outbound(std::string_view match, const std::vector<std::string>& trunk_ids) {
  auto pattern = lib::NumberPattern::match(match);
  if (!pattern) return {Code::invalid, kMatchRule};
  std::string target;
  for (const std::string& id : trunk_ids) target += (target.empty() ? "" : " ") + id;
  return RouteRow{Domain::outbound,  Source::api,         {}, 0, std::string(match), {},
                  std::move(target), *std::move(pattern), {}};
}

Result<RouteRow> RouteRow::inbound(std::string_view did, std::string_view from_number,
                                   std::string_view user) {
  auto pattern = lib::NumberPattern::did(did);
  if (!pattern) return {Code::invalid, kDidRule};
  std::optional<lib::NumberPattern> caller;
  if (!from_number.empty()) {
    auto read = lib::NumberPattern::from_number(from_number);
    if (!read) return {Code::invalid, kFromNumberRule};
    caller = *std::move(read);
  }
  return RouteRow{Domain::inbound,
                  Source::api,
                  {},
                  0,
                  std::string(did),
                  std::string(from_number),
                  std::string(user),
                  *std::move(pattern),
                  std::move(caller)};
}

Result<RouteRow> RouteRow::read(Domain domain, std::string_view number, std::string_view caller,
                                std::string_view target) {
  auto row = domain == Domain::outbound ? outbound(number, {}) : inbound(number, caller, {});
  if (row) row->target = target;
  return row;
}

std::vector<std::string> RouteRow::trunk_ids() const {
  std::vector<std::string> ids;
  for (size_t at = 0; at < target.size();) {
    const size_t end = std::min(target.find(' ', at), target.size());
    ids.push_back(target.substr(at, end - at));
    at = end + 1;
  }
  return ids;
}

std::string RouteRow::number_key() const { return number == "global" ? number : number_pattern.text(); }

std::string RouteRow::caller_key() const { return caller_pattern ? caller_pattern->text() : std::string(); }

std::string RouteRow::called_pattern() const { return is_anonymous() ? "*" : number_pattern.text(); }

std::string RouteRow::calling_pattern() const {
  if (is_anonymous()) return "anonymous";
  return caller_pattern ? caller_pattern->text() : "*";
}

bool RouteRow::contradicts_itself() const {
  return is_anonymous() && caller_pattern && !caller_pattern->matches(std::nullopt);
}

bool RouteRow::matches(const std::optional<std::string>& called,
                       const std::optional<std::string>& calling) const noexcept {
  if (caller_pattern && !caller_pattern->matches(calling)) return false;
  return is_anonymous() ? !calling : number_pattern.matches(called);
}

const RouteRow* first_match(const RouteRows& rows, const std::string& number) noexcept {
  for (const RouteRow& row : rows)
    if (row.number_pattern.matches(number)) return &row;
  return nullptr;
}

}  // namespace patchbay::sip_trunk
