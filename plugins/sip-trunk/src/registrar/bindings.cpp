#include "registrar/bindings.h"

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

constexpr int64_t kNsPerSec = 1'000'000'000;

bool is_outdated(const Binding& known, const RegisterRequest& request) {
  return known.call_id == request.call_id && request.sequence <= known.sequence;
}

}  // namespace

const Binding* Bindings::find(BindingId id) const {
  const auto found = all_.find(id);
  return found != all_.end() ? &found->second : nullptr;
}

std::vector<const Binding*> Bindings::of(const std::string& tenant, const std::string& user) const {
  std::vector<const Binding*> out;
  const auto [begin, end] = by_user_.equal_range({tenant, user});
  for (auto at = begin; at != end; ++at) out.push_back(&all_.at(at->second));
  return out;
}

void Bindings::remove(BindingId id) {
  const auto found = all_.find(id);
  if (found == all_.end()) return;
  const auto [begin, end] = by_user_.equal_range({found->second.tenant, found->second.user});
  const auto at = std::find_if(begin, end, [id](const auto& item) { return item.second == id; });
  if (at != end) by_user_.erase(at);
  all_.erase(found);
}

std::optional<BindingId> Bindings::restore(Binding binding, const Limits& limits) {
  if (all_.size() >= limits.total || of(binding.tenant, binding.user).size() >= limits.per_user)
    return std::nullopt;
  const BindingId id = binding.id = ++last_id_;
  by_user_.emplace(std::pair(binding.tenant, binding.user), id);
  all_.emplace(id, std::move(binding));
  return id;
}

std::vector<BindingId> Bindings::expire(int64_t now_ns) {
  std::vector<BindingId> gone;
  for (const auto& [id, binding] : all_)
    if (binding.expires_ns <= now_ns) gone.push_back(id);
  for (const BindingId id : gone) remove(id);
  return gone;
}

// Of the same telephone: the same URI, or the same instance after a restart with another one.
Binding* Bindings::matching(const Sender& sender, const RegisterContact& contact) {
  const auto [begin, end] = by_user_.equal_range({sender.tenant, sender.user});
  for (auto at = begin; at != end; ++at) {
    Binding& known = all_.at(at->second);
    if (known.uri == contact.uri || (!contact.instance.empty() && known.instance == contact.instance))
      return &known;
  }
  return nullptr;
}

Bindings::Outcome Bindings::remove_all(const RegisterRequest& request, const Sender& sender) {
  if (request.expires_sec != 0 || !request.contacts.empty()) return {400};
  Outcome outcome;
  for (const Binding* known : of(sender.tenant, sender.user)) {
    if (is_outdated(*known, request)) return {500};
    outcome.removed.push_back(known->id);
  }
  for (const BindingId id : outcome.removed) remove(id);
  return outcome;
}

// Returns the status of a refusal; 200: `steps` has what to do.
int Bindings::plan(const RegisterRequest& request, const Sender& sender, const Limits& limits,
                   std::vector<Step>& steps) {
  size_t of_user = of(sender.tenant, sender.user).size(), in_all = all_.size();
  for (const RegisterContact& contact : request.contacts) {
    int64_t expires_sec = contact.expires_sec >= 0   ? contact.expires_sec
                          : request.expires_sec >= 0 ? request.expires_sec
                                                     : limits.default_expires_sec;
    if (expires_sec > 0 && expires_sec < limits.min_expires_sec) return 423;
    expires_sec = std::min(expires_sec, limits.max_expires_sec);
    Binding* const known = matching(sender, contact);
    if (known != nullptr && is_outdated(*known, request)) return 500;
    const bool is_twice = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
      return step.contact->uri == contact.uri || (known != nullptr && step.known == known);
    });
    if (is_twice) return 400;
    if (known == nullptr && expires_sec > 0) ++of_user, ++in_all;
    if (known != nullptr && expires_sec == 0) --of_user, --in_all;
    steps.push_back({&contact, known, expires_sec});
  }
  const bool adds = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.known == nullptr && step.expires_sec > 0;
  });
  if (adds && of_user > limits.per_user) return 403;
  return adds && in_all > limits.total ? 503 : 200;
}

Bindings::Outcome Bindings::apply(const RegisterRequest& request, const Sender& sender, const Limits& limits,
                                  int64_t now_ns, int64_t wall_ms) {
  if (!request.is_complete) return {400};
  if (request.removes_all) return remove_all(request, sender);
  std::vector<Step> steps;
  Outcome outcome;
  outcome.status = plan(request, sender, limits, steps);
  if (outcome.status == 423) outcome.min_expires_sec = limits.min_expires_sec;
  if (outcome.status != 200) return outcome;
  for (const Step& step : steps) {
    if (step.expires_sec == 0) {
      if (step.known == nullptr) continue;
      outcome.removed.push_back(step.known->id);
      remove(step.known->id);
      continue;
    }
    const bool is_new = step.known == nullptr;
    const BindingId id = is_new ? ++last_id_ : step.known->id;
    Binding& binding = all_[id];
    if (is_new) {
      by_user_.emplace(std::pair(sender.tenant, sender.user), id);
      binding.since_ms = wall_ms;
    }
    binding.id = id;
    binding.tenant = sender.tenant;
    binding.user = sender.user;
    binding.uri = step.contact->uri;
    binding.instance = step.contact->instance;
    binding.call_id = request.call_id;
    binding.sequence = request.sequence;
    binding.source = request.source;
    binding.transport = request.transport;
    binding.user_agent = request.user_agent;
    binding.algorithm = sender.algorithm;
    binding.mark_key = sender.mark_key;
    binding.credential_mark = sender.credential_mark;
    binding.expires_ns = now_ns + step.expires_sec * kNsPerSec;
    (is_new ? outcome.added : outcome.renewed).push_back(id);
  }
  return outcome;
}

}  // namespace patchbay::sip_trunk
