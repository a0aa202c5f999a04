#include "event_streams.h"

#include <utility>

#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

constexpr int64_t kPolicyViolation = 1008;

}  // namespace

EventStreams::EventStreams(const Host& host, const EventLogReader& reader)
    : host_(host), reader_(reader), auth_(host), timer_(host) {}

void EventStreams::configure(const Settings& settings) {
  for (const auto& [name, tenant] : tenants_) {
    if (settings.allow_private.count(name) != 0) continue;
    for (const auto& [id, stream] : tenant.streams) stream->close(kPolicyViolation, "the tenant was removed");
  }
}

void EventStreams::open(const http::Request& request, EventQuery query, const EventPage& page,
                        Reply<http::Response> reply) {
  if (tenants_.empty()) timer_.after_ms(kLogPollMs, [this] { poll(); });
  const std::string tenant = query.tenant;
  const int64_t id = ++last_id_;
  auto made = std::make_unique<EventStream>(host_, reader_, request, std::move(query));
  EventStream& stream = *made;
  tenants_[tenant].streams.emplace(id, std::move(made));
  reply(stream.accept([this, id, tenant] { remove(id, tenant); }));
  stream.send(page);
}

void EventStreams::wake(std::string_view tenant) const {
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end()) return;
  for (const auto& [id, stream] : found->second.streams) stream->wake();
}

void EventStreams::poll() {
  const bool is_check_due = ++polls_ % kPollsPerVerification == 0;
  for (const auto& [name, tenant] : tenants_) {
    look(name, tenant);
    for (const auto& [id, stream] : tenant.streams) {
      stream->check();
      if (!is_check_due) continue;
      stream->send_position();
      verify(id, *stream);
    }
  }
  timer_.after_ms(kLogPollMs, [this] { poll(); });
}

void EventStreams::look(const std::string& name, const Tenant& tenant) {
  read_log(host_, name, tenant.newest, 1, alive_.bind([this, name](const Result<EventLog>& log) {
    if (log) looked(name, *log);
  }));
}

void EventStreams::looked(const std::string& name, const EventLog& log) {
  const auto found = tenants_.find(name);
  if (found == tenants_.end() || log.newest <= found->second.newest) return;
  found->second.newest = log.newest;
  wake(name);
}

void EventStreams::verify(int64_t id, const EventStream& stream) {
  if (stream.bearer().empty() || !auth_.up()) return;
  auth_.call(auth::Auth::verify, {stream.bearer(), stream.remote()},
             alive_.bind([this, id, tenant = stream.tenant()](const Result<auth::Principal>& principal) {
               judge(id, tenant, principal);
             }));
}

// A provider that cannot answer ends no stream.
void EventStreams::judge(int64_t id, const std::string& tenant,
                         const Result<auth::Principal>& principal) const {
  const EventStream* stream = find(id, tenant);
  if (stream == nullptr) return;
  if (!principal) {
    if (principal.error().code == Code::denied)
      stream->close(kPolicyViolation, "the bearer is no longer valid");
    return;
  }
  if (principal->role != "admin" || (principal->tenant != tenant && !principal->is_super))
    stream->close(kPolicyViolation, "the bearer may no longer read this log");
}

const EventStream* EventStreams::find(int64_t id, const std::string& tenant) const {
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end()) return nullptr;
  const auto stream = found->second.streams.find(id);
  return stream == found->second.streams.end() ? nullptr : stream->second.get();
}

void EventStreams::remove(int64_t id, const std::string& tenant) {
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end()) return;
  found->second.streams.erase(id);
  if (found->second.streams.empty()) tenants_.erase(found);
  if (tenants_.empty()) timer_.cancel();
}

}  // namespace patchbay::webhooks
