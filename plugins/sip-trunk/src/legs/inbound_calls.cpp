#include "legs/inbound_calls.h"

#include <patchbay/random_id.h>

#include <algorithm>
#include <utility>

#include "number/number.h"
#include "stack/sip_limits.h"
#include "trunks/trunk_hosts.h"

namespace patchbay::sip_trunk {
namespace {

using Action = InboundDecision::Action;

// Ranks a tenant's claim to a call when trunks of several tenants have its source. A row that the tenant has
// made over REST counts less than what the operator has configured and than a virtual number, so that no
// tenant takes the calls of another. 0: none.
int rank_of(const InboundDecision& decision, bool is_disabled) {
  if (is_disabled) return 4;
  if (decision.action == Action::refuse) return 0;
  if (decision.row == nullptr) return 4;  // a virtual number
  if (decision.row->is_catchall()) return 1;
  if (decision.row->is_anonymous()) return 2;
  return decision.row->source == Source::config ? 4 : 3;
}

std::string target_of(const InboundDecision& decision) {
  switch (decision.action) {
    case Action::ring_user:
      return "user";
    case Action::answer_by_number:
      return "number";
    case Action::refuse:
      return "none";
  }
  return "none";
}

}  // namespace

InboundCalls::InboundCalls(const Host& host, const Settings& settings, const TrunkNames& names,
                           TrunkLimits& limits, RouteTable& routes, LegDirectory& directory,
                           const Metrics& metrics)
    : host_(host),
      settings_(settings),
      names_(names),
      limits_(limits),
      routes_(routes),
      directory_(directory),
      metrics_(metrics),
      log_(host),
      numbers_(host),
      offers_(host) {}

Result<Empty> InboundCalls::add_answerer(const telephony::AddAnswerer& request) {
  if (request.name.empty() || !request.answerer)
    return {Code::invalid, "an answerer has a name and a handle"};
  Answerer& entry = answerers_[request.name];
  entry.answerer = {request.name, request.answerer, request.priority};
  entry.ended = EndWatch(host_, request.answerer, [this, name = request.name, handle = request.answerer] {
    const auto found = answerers_.find(name);
    if (found != answerers_.end() && found->second.answerer.instance.id == handle.id) answerers_.erase(found);
  });
  return Empty{};
}

std::vector<RegisteredAnswerer> InboundCalls::answerers() const {
  std::vector<RegisteredAnswerer> out;
  for (const auto& [name, entry] : answerers_) out.push_back(entry.answerer);
  std::stable_sort(out.begin(), out.end(), [](const RegisteredAnswerer& a, const RegisteredAnswerer& b) {
    return a.priority > b.priority;
  });
  if (last_answerer_) out.push_back(*last_answerer_);
  return out;
}

bool InboundCalls::has_address(const TrunkAccess& trunk, const lib::SocketAddress& source) const {
  const auto is_source = [&](const lib::SocketAddress& address) { return address.same_ip(source); };
  if (std::any_of(trunk.sources.begin(), trunk.sources.end(),
                  [&](const AddressRange& range) { return range.contains(source); }))
    return true;
  const auto queries = queries_of(trunk, source.family());
  return std::any_of(queries.begin(), queries.end(), [&](const HostQuery& query) {
    if (const auto numeric = lib::SocketAddress::parse(query.host, 0)) return is_source(*numeric);
    const Addresses known = names_.addresses_of(query);
    return std::any_of(known.begin(), known.end(), is_source);
  });
}

// Of several trunks of a tenant at the source the one counts where the called account is registered, or else
// the one with its port, or else the first. When an account is called, only its tenants count.
std::vector<TrunkKey> InboundCalls::trunks_at(const lib::SocketAddress& source,
                                              const std::string& called_user) const {
  std::vector<TrunkKey> out, accounts;
  for (const auto& [tenant, trunks] : settings_.tenants) {
    const std::string* found = nullptr;
    int best = -1;
    for (const auto& [id, trunk] : trunks.trunks) {
      if (!has_address(trunk, source)) continue;
      const bool is_account = trunk.registers && trunk.username == called_user;
      const int score = is_account ? 2 : trunk.port == source.port() ? 1 : 0;
      if (score <= best) continue;
      best = score;
      found = &id;
    }
    if (found != nullptr) (best == 2 ? accounts : out).push_back({tenant, *found});
  }
  return accounts.empty() ? out : accounts;
}

void InboundCalls::on_call(DialogId dialog, InboundInvite invite) {
  if (invite.replaced != 0) return replace(dialog, invite);
  if (draining_) return refuse(dialog, {503, "Service Unavailable", kDrainRetrySec}, "draining");
  auto search = std::make_shared<Search>();
  search->dialog = dialog;
  search->trunks = trunks_at(invite.source, invite.called_user);
  search->numbers = InboundCall::read(invite.called_user, invite.calling_user);
  if (!search->numbers.called) search->numbers.called = lib::caller_number(invite.to_user);
  search->invite = std::move(invite);
  if (search->trunks.empty()) return refuse(dialog, {403, "Forbidden"}, "foreign");
  look_at_next(std::move(search));
}

// The routes may be gone once this drains.
void InboundCalls::look_at_next(std::shared_ptr<Search> search) {
  if (draining_) return refuse(search->dialog, {503, "Service Unavailable", kDrainRetrySec}, "draining");
  if (search->next == search->trunks.size()) return begin(*search);
  const std::string& tenant = search->trunks[search->next].tenant;
  numbers_.call(numbers::Numbers::lookup, {tenant, search->numbers.called.value_or("")},
                alive_.bind([this, search](const Result<numbers::Summary>& number) {
                  if (!draining_) look_at(*search, number);
                  ++search->next;
                  look_at_next(search);
                }));
}

void InboundCalls::look_at(Search& search, const Result<numbers::Summary>& number) {
  const auto found = number ? std::optional(*number) : std::nullopt;
  const TrunkKey& trunk = search.trunks[search.next];
  InboundDecision decision = decide_inbound(routes_.rows(trunk.tenant), search.numbers, found);
  const bool is_disabled = decision.action == Action::refuse && found && found->mode == "disabled";
  const int rank = rank_of(decision, is_disabled);
  decision.row = nullptr;  // the rows may change
  if (rank == search.rank && rank > 0) search.is_ambiguous = true;
  if (rank <= search.rank) return;
  search.rank = rank;
  search.is_ambiguous = false;
  search.chosen = search.next;
  search.is_disabled = is_disabled;
  search.number = decision.action == Action::answer_by_number ? found->number : std::string();
  search.decision = std::move(decision);
}

void InboundCalls::begin(Search& search) {
  const TrunkKey& trunk = search.trunks[search.chosen];
  if (search.is_ambiguous) {
    log_.warn("a call is refused, because trunks of several tenants have its source and the tenants claim it",
              {{"number", search.numbers.called.value_or("")}, {"source", search.invite.source.text()}});
    return refuse(search.dialog, {480, "Temporarily Unavailable"}, "ambiguous");
  }
  const TrunkAccess access = settings_.trunk(trunk.tenant, trunk.trunk_id);
  const std::string target = target_of(search.decision);
  const auto call_id = random_id(target == "number" ? "vnum-" : "sip-", 12);
  if (!call_id) return refuse(search.dialog, {503, "Service Unavailable", kDrainRetrySec}, "draining");
  if (const auto full = limits_.take(trunk, access.limit, *call_id, host_.mono_ns())) {
    metrics_.limited(full->limit);
    log_.info("a trunk takes no call now", {{"trunk", trunk.trunk_id}, {"limit", full->text}});
    const int64_t retry_sec = std::max<int64_t>(1, (full->retry_ms + 999) / 1000);
    return refuse(search.dialog,
                  {503, "Service Unavailable", retry_sec, "399 patchbay \"" + full->text + "\""}, "limit");
  }
  if (ladders_ != nullptr) ladders_->begin(trunk.tenant, *call_id, search.invite.call_id);
  InboundLeg::Init init;
  init.dialog = search.dialog;
  init.trunk = access;
  init.place = TrunkPlace(limits_, trunk);
  init.offer.call_id = *call_id;
  init.offer.tenant = trunk.tenant;
  init.offer.trunk_id = trunk.trunk_id;
  init.offer.did = search.numbers.called.value_or("");
  init.offer.from_number = search.numbers.calling.value_or("");
  init.offer.display_name = search.invite.display_name;
  init.offer.target = target;
  init.offer.number = search.number;
  init.offer.user = search.decision.user;
  init.invite = std::move(search.invite);
  const int64_t id = ++last_id_;
  auto leg = std::make_unique<InboundLeg>(host_, *stack_, directory_, offers_, settings_.server,
                                          std::move(init), [this, id] { remove(id); });
  leg->on_ended_for_metrics([this](const telephony::Ended& ended) { metrics_.ended(ended); });
  InboundLeg& started = *leg;
  legs_.emplace(id, std::move(leg));
  if (on_count_) on_count_();
  started.start(search.is_disabled ? std::vector<RegisteredAnswerer>() : answerers());
}

// A call goes on with another far end only at its own trunk, so that no trunk takes the calls of another.
void InboundCalls::replace(DialogId dialog, const InboundInvite& invite) {
  const AnsweredLeg* leg = directory_.find_dialog(invite.replaced);
  if (leg == nullptr || !has_address(settings_.trunk(leg->tenant, leg->trunk_id), invite.source)) {
    log_.warn("an INVITE with Replaces names no call of its trunk", {{"source", invite.source.text()}});
    return refuse(dialog, {481, "Call Does Not Exist"}, "replaces");
  }
  if (ladders_ != nullptr) ladders_->add_dialog(leg->tenant, leg->call_id, invite.call_id);
  leg->leg->replace_by(dialog, invite);
}

void InboundCalls::refuse(DialogId dialog, const Refusal& refusal, const char* reason) {
  metrics_.inbound_refused(reason);
  stack_->refuse(dialog, refusal);
}

// Deletes the leg later, because the leg is calling this.
void InboundCalls::remove(int64_t id) {
  post(host_, kMainStrand, alive_.bind([this, id] {
    legs_.erase(id);
    if (on_count_) on_count_();
  }));
}

}  // namespace patchbay::sip_trunk
