// Ladders: the SIP messages of the latest calls, in memory, with credentials masked.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/sofia_message_log.h"

namespace patchbay::sip_trunk {

struct LadderMessage {
  int64_t at_ms = 0;  // wall clock
  bool is_sent = false;
  std::string peer;     // "udp 192.0.2.1:5060"
  std::string summary;  // "INVITE sip:+4930123456@192.0.2.1", "180 Ringing"
  std::string text;     // whole, valid UTF-8
};

struct Ladder {
  std::vector<LadderMessage> messages;
  uint64_t left_out = 0;  // messages beyond the limit
};

// Each function locks for a few microseconds. Any thread.
class Ladders final : public MessageListener {
 public:
  static constexpr size_t kMaxCalls = 500;               // later ones replace the oldest
  static constexpr size_t kMaxMessages = 100;            // of a call
  static constexpr size_t kMaxTextBytes = 8192;          // of a message
  static constexpr size_t kMaxStrays = 32;               // messages of calls that have not begun
  static constexpr size_t kMaxBytes = size_t{48} << 20;  // of all messages; the oldest calls make room

  // Keeps the messages of this call from now on, and those of its Call-ID that came just before.
  // `sip_call_id`: of a call to us, ignored while it names another call, because it is what the peer likes;
  // "": one from us, whose Call-IDs are "<call_id>-<attempt>@...".
  void begin(const std::string& tenant, const std::string& call_id, const std::string& sip_call_id = "");
  // A further dialog of a call: the messages with this Call-ID belong to it, too, and those that came just
  // before. No-op for an unknown call.
  void add_dialog(const std::string& tenant, const std::string& call_id, const std::string& sip_call_id);
  // [sip thread]
  void on_message(LoggedMessage message) override;

  // nullopt: no such call of this tenant, or it is too long ago.
  std::optional<Ladder> find(const std::string& tenant, const std::string& call_id) const;

 private:
  struct Call {
    std::string tenant;
    std::string sip_call_id;
    std::vector<std::string> further{};  // Call-IDs of its further dialogs
    Ladder ladder;
    size_t bytes = 0;  // of its messages
  };
  struct Stray {
    std::string sip_call_id;
    LadderMessage message;
  };
  Call* call_of(const std::string& sip_call_id);
  void add(Call& call, LadderMessage message);
  void add_strays(Call& call, const std::string& sip_call_id);
  void drop_oldest();

  mutable std::mutex mutex_;                           // guards what follows
  std::map<std::string, Call> calls_;                  // by call id
  std::deque<std::string> order_;                      // of calls_, oldest first
  std::map<std::string, std::string> by_sip_call_id_;  // call ids of the calls to us
  std::deque<Stray> strays_;
  size_t bytes_ = 0;  // of the messages of calls_
};

// The value of Call-ID in a message; "" without one.
std::string call_id_of(std::string_view message);
// The first line without the version: "INVITE sip:+4930123456@192.0.2.1", "180 Ringing".
std::string summary_of(std::string_view message);

}  // namespace patchbay::sip_trunk
