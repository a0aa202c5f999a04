#include "telephony_service.h"

#include <patchbay/text.h>

#include <algorithm>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// Goes into a Call-ID.
bool is_call_id(const std::string& text) {
  return !text.empty() && text.size() <= kMaxShownParameterBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

TelephonyService::TelephonyService(const Host& host, const Parts& parts) : parts_(parts), service_(host) {
  using T = telephony::Telephony;
  service_.on(T::dial, [this](const telephony::Dial& request) { return dial(request); })
      .on(T::add_gate,
          [this](const telephony::AddGate& gate) -> Result<Empty> {
            parts_.gates[gate.name] = RegisteredGate{gate.name, gate.gate};
            return Empty{};
          })
      .on(T::status, [this](const telephony::StatusOf& which) { return status(which.tenant); })
      .on(T::reserve, [this](const telephony::Reserve& request) { return parts_.outbound.reserve(request); })
      .on(T::release,
          [this](const telephony::Release& request) -> Result<Empty> {
            parts_.outbound.release(request);
            return Empty{};
          })
      .on(T::add_answerer,
          [this](const telephony::AddAnswerer& request) { return parts_.inbound.add_answerer(request); })
      .on(T::add_contact,
          [this](const telephony::AddContact& request) { return parts_.contacts.add(request); })
      .on(T::dial_user, [this](const telephony::DialUser& request) { return dial_user(request); });
}

Result<telephony::Dialled> TelephonyService::dial(const telephony::Dial& request) {
  if (draining_) return {Code::unavailable, "the server is stopping"};
  return parts_.outbound.dial(request);
}

Result<telephony::Dialled> TelephonyService::dial_user(const telephony::DialUser& request) {
  if (draining_) return {Code::unavailable, "the server is stopping"};
  if (!is_call_id(request.call_id)) return {Code::invalid, "call_id: letters, digits and - only"};
  parts_.ladders.begin(request.tenant, request.call_id);
  return parts_.user_calls.dial(request);
}

Result<telephony::TelephonyStatus> TelephonyService::status(const std::string& tenant) const {
  const auto at = parts_.settings.tenants.find(tenant);
  telephony::TelephonyStatus result;
  result.configured = at != parts_.settings.tenants.end() && !at->second.trunks.empty();
  result.able = result.configured && !draining_;
  if (draining_) result.reason = "The server is stopping.";
  return result;
}

}  // namespace patchbay::sip_trunk
