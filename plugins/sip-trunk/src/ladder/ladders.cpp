#include "ladder/ladders.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ladder/mask_credentials.h"
#include "ladder/message_text.h"
#include "text/safe_text.h"

namespace patchbay::sip_trunk {
namespace {

constexpr std::string_view kVersion = "SIP/2.0";

int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string call_id_of(std::string_view message) {
  while (!message.empty()) {
    const size_t newline = message.find('\n');
    const std::string_view line = message.substr(0, newline);
    if (trim(line).empty()) break;  // the body follows
    const std::string_view name = header_name(line);
    if (is_name(name, "call-id") || is_name(name, "i"))
      return std::string(trim(line.substr(line.find(':') + 1)));
    message.remove_prefix(newline == std::string_view::npos ? message.size() : newline + 1);
  }
  return {};
}

std::string summary_of(std::string_view message) {
  std::string_view line = trim(message.substr(0, message.find('\n')));
  if (line.substr(0, kVersion.size()) == kVersion) line.remove_prefix(kVersion.size());
  const size_t end = line.size() >= kVersion.size() ? line.size() - kVersion.size() : 0;
  if (line.substr(end) == kVersion) line = line.substr(0, end);
  return std::string(trim(line));
}

void Ladders::begin(const std::string& tenant, const std::string& call_id, const std::string& sip_call_id) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = calls_.try_emplace(call_id);
  at->second.tenant = tenant;
  if (is_new) order_.push_back(call_id);
  if (!sip_call_id.empty() && call_of(sip_call_id) == nullptr) {
    at->second.sip_call_id = sip_call_id;
    by_sip_call_id_[sip_call_id] = call_id;
    add_strays(at->second, sip_call_id);
  }
  drop_oldest();
}

void Ladders::add_strays(Call& call, const std::string& sip_call_id) {
  for (Stray& stray : strays_)
    if (stray.sip_call_id == sip_call_id) add(call, std::move(stray.message));
  strays_.erase(std::remove_if(strays_.begin(), strays_.end(),
                               [&](const Stray& stray) { return stray.sip_call_id == sip_call_id; }),
                strays_.end());
}

void Ladders::drop_oldest() {
  while (order_.size() > kMaxCalls || (bytes_ > kMaxBytes && order_.size() > 1)) {
    const auto oldest = calls_.find(order_.front());
    bytes_ -= oldest->second.bytes;
    by_sip_call_id_.erase(oldest->second.sip_call_id);
    for (const std::string& further : oldest->second.further) by_sip_call_id_.erase(further);
    calls_.erase(oldest);
    order_.pop_front();
  }
}

void Ladders::add_dialog(const std::string& tenant, const std::string& call_id,
                         const std::string& sip_call_id) {
  const std::lock_guard lock(mutex_);
  const auto at = calls_.find(call_id);
  if (at == calls_.end() || at->second.tenant != tenant) return;
  if (!by_sip_call_id_.try_emplace(sip_call_id, call_id).second) return;
  at->second.further.push_back(sip_call_id);
  add_strays(at->second, sip_call_id);
}

// Call-IDs of our calls end with "-<attempt>@<host>" after the call id.
Ladders::Call* Ladders::call_of(const std::string& sip_call_id) {
  const auto known = by_sip_call_id_.find(sip_call_id);
  const std::string local = sip_call_id.substr(0, sip_call_id.find('@'));
  const auto at =
      calls_.find(known != by_sip_call_id_.end() ? known->second : local.substr(0, local.rfind('-')));
  if (at == calls_.end()) return nullptr;
  // A call to us may not claim the name of another call.
  return known != by_sip_call_id_.end() || at->second.sip_call_id.empty() ? &at->second : nullptr;
}

void Ladders::add(Call& call, LadderMessage message) {
  if (call.ladder.messages.size() == kMaxMessages) return void(++call.ladder.left_out);
  const size_t bytes = message.text.size() + message.summary.size() + message.peer.size();
  call.bytes += bytes;
  bytes_ += bytes;
  call.ladder.messages.push_back(std::move(message));
}

void Ladders::on_message(LoggedMessage logged) {
  LadderMessage message;
  message.at_ms = wall_ms();
  message.is_sent = logged.is_sent;
  message.peer = std::move(logged.peer);
  message.text = lib::valid_text(mask_credentials(std::string_view(logged.text).substr(0, kMaxTextBytes)));
  message.summary = summary_of(message.text);
  const std::string sip_call_id = call_id_of(logged.text);
  const std::lock_guard lock(mutex_);
  if (Call* call = call_of(sip_call_id)) {
    add(*call, std::move(message));
    return drop_oldest();
  }
  if (strays_.size() == kMaxStrays) strays_.pop_front();
  strays_.push_back({sip_call_id, std::move(message)});
}

std::optional<Ladder> Ladders::find(const std::string& tenant, const std::string& call_id) const {
  const std::lock_guard lock(mutex_);
  const auto at = calls_.find(call_id);
  if (at == calls_.end() || at->second.tenant != tenant) return std::nullopt;
  return at->second.ladder;
}

}  // namespace patchbay::sip_trunk
