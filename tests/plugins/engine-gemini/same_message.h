// Compares two readings of a server's message.
#pragma once

#include <tuple>

#include "server_message.h"

namespace patchbay::engine_gemini {

inline bool same(const ServerMessage& a, const ServerMessage& b) {
  const auto scalars = [](const ServerMessage& m) {
    return std::tie(m.setup_complete, m.input_text, m.output_text, m.interrupted, m.generation_complete,
                    m.turn_complete, m.turn_complete_reason, m.cancelled_calls, m.go_away_ms, m.error);
  };
  const auto equal = [](const auto& left, const auto& right, auto members) {
    if (left.size() != right.size()) return false;
    for (size_t i = 0; i < left.size(); ++i)
      if (members(left[i]) != members(right[i])) return false;
    return true;
  };
  const auto usage = [](const ServerMessage& m) {
    const UsageReport u = m.usage.value_or(UsageReport{-1, -1, -1, -1, -1});
    return std::tuple(u.prompt, u.response, u.total, u.thoughts, u.cached);
  };
  const auto resumption = [](const ServerMessage& m) {
    return m.resumption ? std::tuple(true, m.resumption->handle, m.resumption->resumable)
                        : std::tuple(false, std::string(), false);
  };
  return scalars(a) == scalars(b) && usage(a) == usage(b) && resumption(a) == resumption(b) &&
         equal(a.audio, b.audio, [](const AudioPart& p) { return std::tie(p.rate_hz, p.bytes); }) &&
         equal(a.calls, b.calls, [](const FunctionCall& c) { return std::tie(c.id, c.name, c.args_json); });
}

inline bool same(const Result<ServerMessage>& a, const Result<ServerMessage>& b) {
  if (a.ok() != b.ok()) return false;
  if (!a.ok()) return a.error().code == b.error().code && a.error().text == b.error().text;
  return same(*a, *b);
}

}  // namespace patchbay::engine_gemini
