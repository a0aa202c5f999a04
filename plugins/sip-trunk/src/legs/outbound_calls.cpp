#include "legs/outbound_calls.h"

#include <patchbay/strand.h>

#include <utility>

#include "routes/trunk_choice.h"

namespace patchbay::sip_trunk {
namespace {

constexpr char kNoTrunk[] = "no trunk is configured for the number";

}  // namespace

OutboundCalls::OutboundCalls(const Host& host, const Settings& settings, RouteTable& routes,
                             Resolver& resolver, TrunkLimits& limits, TrunkHealth& health,
                             LegDirectory& directory, const Metrics& metrics, Ladders& ladders)
    : host_(host),
      settings_(settings),
      routes_(routes),
      resolver_(resolver),
      limits_(limits),
      health_(health),
      directory_(directory),
      metrics_(metrics),
      ladders_(ladders) {
  directory_.set_dialling(
      {{resolver_, limits_, health_},
       [this](const std::string& tenant, const std::string& number) { return route_of(tenant, number); }});
}

TransferRoute OutboundCalls::route_of(const std::string& tenant, const std::string& number) const {
  const auto at = settings_.tenants.find(tenant);
  if (at == settings_.tenants.end()) return {};
  return {at->second.trunks, choose_trunks(at->second, routes_.rows(tenant), number).trunk_ids};
}

Result<telephony::Dialled> OutboundCalls::dial(const telephony::Dial& request) {
  const auto tenant = settings_.tenants.find(request.tenant);
  if (tenant == settings_.tenants.end()) return {Code::not_found, kNoTrunk};
  TrunkChoice choice = choose_trunks(tenant->second, routes_.rows(request.tenant), request.number);
  if (choice.trunk_ids.empty()) return {Code::not_found, kNoTrunk};
  const int64_t id = ++last_id_;
  auto leg = std::make_unique<OutboundLeg>(host_, *stack_, resolver_, limits_, health_, directory_,
                                           settings_.server, tenant->second, std::move(choice.trunk_ids),
                                           request, [this, id] { remove(id); });
  leg->on_limited_for_metrics([this](const TrunkRefusal& refused) { metrics_.limited(refused.limit); });
  leg->on_ended_for_metrics([this](const telephony::Ended& ended) { metrics_.ended(ended); });
  const telephony::Dialled dialled{leg->handle()};
  ladders_.begin(request.tenant, request.call_id);
  OutboundLeg& started = *leg;
  legs_.emplace(id, std::move(leg));
  if (on_count_) on_count_();
  started.start(directory_.gates());
  return dialled;
}

Result<telephony::Reserved> OutboundCalls::reserve(const telephony::Reserve& request) {
  const auto tenant = settings_.tenants.find(request.tenant);
  if (tenant == settings_.tenants.end()) return {Code::not_found, kNoTrunk};
  const auto trunk_ids =
      choose_trunks(tenant->second, routes_.rows(request.tenant), request.number).trunk_ids;
  if (trunk_ids.empty()) return {Code::not_found, kNoTrunk};
  const int64_t now_ns = host_.mono_ns();
  telephony::Reserved result;
  if (const TrunkKey* known = limits_.reservation(request.call_id, now_ns)) {
    result.granted = true;
    result.trunk_id = known->trunk_id;
    return result;
  }
  for (const std::string& id : trunk_ids) {
    // A trunk that is down takes none, unless it is the last: the call then fails, instead of waiting.
    if (&id != &trunk_ids.back() && !health_.why_down({request.tenant, id}).empty()) continue;
    const auto refused =
        limits_.reserve({request.tenant, id}, tenant->second.trunks.at(id).limit, request.call_id, now_ns);
    if (!refused) {
      result.granted = true;
      result.trunk_id = id;
      return result;
    }
    metrics_.limited(refused->limit);
    result.detail += (result.detail.empty() ? "" : ", ") + refused->text;
    const bool is_sooner = result.retry_ms == 0 || refused->retry_ms < result.retry_ms;
    if (refused->retry_ms > 0 && is_sooner) result.retry_ms = refused->retry_ms;
  }
  return result;
}

// Deletes the leg later, because the leg is calling this.
void OutboundCalls::remove(int64_t id) {
  post(host_, kMainStrand, alive_.bind([this, id] {
    legs_.erase(id);
    if (on_count_) on_count_();
  }));
}

}  // namespace patchbay::sip_trunk
