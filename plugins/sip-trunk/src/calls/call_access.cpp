#include "calls/call_access.h"

#include <patchbay/strand.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace patchbay::sip_trunk {
namespace {

std::optional<TapSides> sides_of(const std::string& text) {
  if (text.empty()) return TapSides{};
  if (text == "far") return TapSides{true, false};
  if (text == "near") return TapSides{false, true};
  if (text == "both") return TapSides{true, true};
  return std::nullopt;
}

}  // namespace

void CallAccesses::Port::pull(pb_frame& out) noexcept {
  out.samples = out.capacity;
  std::fill_n(out.pcm, out.samples, int16_t{0});
  if (!tap.hear(out.pcm, out.samples)) out.flags |= PB_FRAME_SILENCE;
}

void CallAccesses::Port::push(const pb_frame& in) noexcept {
  if ((in.flags & PB_FRAME_SILENCE) == 0) tap.say(in.pcm, in.samples);
}

CallAccesses::CallAccesses(const Host& host, LiveCalls& calls, const Settings& settings)
    : host_(host), calls_(calls), settings_(settings), log_(host), service_(host) {
  using telephony::Calls;
  service_.on(Calls::list, [this](const telephony::ListCalls& request) { return list(request); })
      .on(Calls::open, [this](const telephony::OpenAccess& request) { return open(request); })
      .on(Calls::close, [this](const telephony::CloseAccess& which, Reply<Empty> reply) {
        const auto at = accesses_.find(which.access);
        if (at == accesses_.end() || at->second.caller.id != calling_plugin(host_).id) return reply(Empty{});
        close(which.access,
              [reply = std::make_shared<Reply<Empty>>(std::move(reply))] { (*reply)(Empty{}); });
      });
  calls_.on_end([this](uint64_t call) {
    std::vector<int64_t> ids;
    for (const auto& [id, access] : accesses_)
      if (access.call == call) ids.push_back(id);
    for (const int64_t id : ids) close(id, {});
  });
}

// Only the core knows which plugin calls, so that none can pass for another.
Status CallAccesses::check_granted() const {
  const std::string caller = host_.report("caller");
  if (!caller.empty() && settings_.server.call_access.count(caller) != 0) return {};
  log_.warn("a plugin without callAccess asked for calls", {{"plugin", caller}});
  return {Code::denied, "the plugin " + caller +
                            " has no access to calls; to grant it, add it to the setting callAccess of "
                            "sip-trunk, as in plugins: sip-trunk: {callAccess: [" +
                            caller + "]}"};
}

Result<telephony::CallList> CallAccesses::list(const telephony::ListCalls& request) const {
  PB_TRY(check_granted());
  JsonWriter json;
  json.array();
  for (const auto& [id, call] : calls_.all()) {
    if (call.tenant != request.tenant) continue;
    json.object().member("callId", call.call_id).member("direction", call.direction);
    json.member("number", call.number).member("did", call.did).member("state", call.state);
    json.member("trunk", call.trunk_id).member("startedMs", call.started_ms).end();
  }
  return telephony::CallList{json.end().str()};
}

Result<telephony::Access> CallAccesses::open(const telephony::OpenAccess& request) {
  PB_TRY(check_granted());
  const auto hears = sides_of(request.hear), says = sides_of(request.say);
  if (!hears || !says) return {Code::invalid, "hear and say must be far, near, both or empty"};
  if (request.hear.empty() && request.say.empty())
    return {Code::invalid, "set hear or say, as in hear: both"};
  const auto& calls = calls_.all();
  const auto call = std::find_if(calls.begin(), calls.end(), [&](const auto& each) {
    return each.second.tenant == request.tenant && each.second.call_id == request.call_id;
  });
  if (call == calls.end()) return {Code::not_found, "there is no such call"};
  if (!call->second.taps) return {Code::conflict, "the call has no audio yet"};
  auto port = std::make_unique<Port>(call->second.taps, call->second.rate_hz, *hears, *says);
  const Handle handle = port->open(host_);
  if (!handle || !port->taps->add(port->tap)) {
    const std::shared_ptr<Port> kept = std::move(port);  // shared with its close
    kept->close([kept] {});
    return {Code::exhausted, handle ? "the call has as many accesses as it may have" : "no audio port"};
  }
  const int64_t id = ++last_id_;
  Open& access = accesses_[id];
  access.port = std::move(port);
  access.call = call->first;
  access.caller = calling_plugin(host_);
  access.caller_gone = EndWatch(host_, access.caller, [this, id] { close(id, {}); });
  log_.with(request.call_id)
      .info("a plugin has access to a call", {{"plugin", host_.report("caller")},
                                              {"call", request.call_id},
                                              {"hears", request.hear},
                                              {"says", request.say}});
  return telephony::Access{id, handle, call->second.rate_hz};
}

void CallAccesses::close(int64_t id, Function<void()> done) {
  const auto at = accesses_.find(id);
  if (at == accesses_.end()) return done ? done() : void();
  Open& access = at->second;
  if (done) access.waiting.push_back(std::move(done));
  if (std::exchange(access.is_closing, true)) return;
  access.port->taps->remove(access.port->tap);
  access.port->close(alive_.bind([this, id] { close_port(id); }));
}

// The call's media loop may be at the tap for some microseconds.
void CallAccesses::close_port(int64_t id) {
  if (accesses_.at(id).port->taps->is_used())
    return post(host_, kMainStrand, alive_.bind([this, id] { close_port(id); }));
  const Open ended = std::move(accesses_.at(id));
  accesses_.erase(id);
  for (const auto& each : ended.waiting) each();
  if (accesses_.empty() && stopped_) std::exchange(stopped_, {})();
}

void CallAccesses::stop(Function<void()> done) {
  service_.withdraw();
  if (accesses_.empty()) return done();
  stopped_ = std::move(done);
  std::vector<int64_t> ids;
  for (const auto& each : accesses_) ids.push_back(each.first);
  for (const int64_t id : ids) close(id, {});
}

}  // namespace patchbay::sip_trunk
