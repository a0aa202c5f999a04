// Chooses the connection that the server closes when it has no room for a new one: the connection that has
// been idle longest, otherwise the slowest of those that lag in sending a body or in reading responses.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "connection.h"

namespace patchbay::rest_api {

using ConnectionMap = std::unordered_map<uint64_t, std::shared_ptr<Connection>>;  // by Connection::Info::id

struct Eviction {
  enum class Reason { idle, slow_body, slow_reader };
  std::shared_ptr<Connection> connection;
  Reason reason = Reason::idle;
};

// Nothing: no connection of this role has been idle for `min_idle`, and none lags by more than `max_lag`.
std::optional<Eviction> choose_eviction(const ConnectionMap& connections, ListenerRole role,
                                        std::chrono::milliseconds min_idle, std::chrono::milliseconds max_lag,
                                        Clock::time_point now);

}  // namespace patchbay::rest_api
