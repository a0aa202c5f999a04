#include "trunks/trunk_lookup.h"

#include <algorithm>
#include <utility>

#include "dns/server_order.h"
#include "random64.h"
#include "stack/sip_limits.h"
#include "trunks/trunk_hosts.h"

namespace patchbay::sip_trunk {
namespace {

// Not exactly uniform, which the order of servers does not need.
uint32_t random_up_to(uint32_t bound) { return static_cast<uint32_t>(random64() % (uint64_t{bound} + 1)); }

}  // namespace

TrunkLookup::TrunkLookup(const Host& host, Resolver& resolver, const Log& log)
    : host_(host), resolver_(resolver), log_(log), limit_(host) {}

void TrunkLookup::start(const TrunkAccess& trunk, int family, int64_t limit_ms, Done done) {
  cancel();
  done_ = std::move(done);
  answers_.clear();
  for (HostQuery& query : queries_of(trunk, family)) answers_.push_back({std::move(query)});
  pending_ = answers_.size();
  const size_t run = run_;
  limit_.after_ms(limit_ms, [this] { finish(); });
  for (size_t i = 0; i < answers_.size(); ++i) {
    auto take = alive_.bind([this, run, i](const Result<Location>& found) { on_resolved(run, i, found); });
    resolver_.resolve(answers_[i].query, [&host = host_, take](const Result<Location>& found) {
      post(host, kMainStrand, [take, found]() mutable { take(found); });
    });
  }
}

void TrunkLookup::cancel() {
  ++run_;
  limit_.cancel();
  done_ = {};
}

void TrunkLookup::on_resolved(size_t run, size_t index, const Result<Location>& found) {
  if (run != run_) return;
  answers_[index].found = found;
  if (--pending_ == 0) finish();
}

void TrunkLookup::finish() {
  Result<TrunkTargets> result = Error{Code::unavailable, ""};
  for (Answer& answer : answers_) {
    if (!answer.found) {
      auto known = resolver_.last_known(answer.query);
      const std::string why = answer.found.error().text;
      log_.warn("a trunk's name is not resolved",
                {{"name", answer.query.host}, {"why", why}, {"last-known", known.ok()}});
      if (!known && !result)
        result = Error{Code::unavailable, "the name " + answer.query.host + " is not resolved: " + why};
      if (!known) continue;
      answer.found = std::move(known);
    }
    if (!result) result = TrunkTargets{answer.found->transport, {}};
    if (result->transport != answer.found->transport) continue;
    for (const auto& address : in_order(*answer.found, random_up_to))
      if (result->targets.size() < kMaxTargets) result->targets.emplace_back(address, answer.query.host);
  }
  const Done done = std::exchange(done_, {});
  cancel();
  if (done) done(result);
}

}  // namespace patchbay::sip_trunk
