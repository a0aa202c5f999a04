#include "eviction.h"

namespace patchbay::rest_api {

std::optional<Eviction> choose_eviction(const ConnectionMap& connections, ListenerRole role,
                                        std::chrono::milliseconds min_idle, std::chrono::milliseconds max_lag,
                                        Clock::time_point now) {
  std::shared_ptr<Connection> idle;
  std::shared_ptr<Connection> slow;
  Clock::duration longest = max_lag;
  for (const auto& [id, connection] : connections) {
    if (connection->info().listener_role != role) continue;
    if (connection->is_idle() && (!idle || connection->last_activity() < idle->last_activity()))
      idle = connection;
    if (connection->lag(now) > longest) {
      longest = connection->lag(now);
      slow = connection;
    }
  }
  if (idle && idle->last_activity() + min_idle <= now) return Eviction{idle, Eviction::Reason::idle};
  if (!slow) return std::nullopt;
  return Eviction{slow, slow->is_in_body() ? Eviction::Reason::slow_body : Eviction::Reason::slow_reader};
}

}  // namespace patchbay::rest_api
