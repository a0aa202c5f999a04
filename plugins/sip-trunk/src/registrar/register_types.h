// A REGISTER of a telephone, and our answer; independent of sofia-sip.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rtp/address.h"
#include "stack/transport.h"

namespace patchbay::sip_trunk {

using RegisterId = uint64_t;

struct RegisterContact {
  std::string uri;           // "sip:bob@192.168.1.7:5060;ob"
  int64_t expires_sec = -1;  // -1: not said
  std::string instance{};    // +sip.instance and reg-id (RFC 5626), which outlive a restart of the telephone
};

struct RegisterRequest {
  lib::SocketAddress source;
  Transport transport = Transport::udp;
  std::string uri_host;  // of the request URI, in lower case
  std::string user;      // of To, decoded
  std::string host;      // of To, in lower case
  std::string call_id;
  uint32_t sequence = 0;
  bool is_complete = true;   // false: it is malformed, or has more contacts than one may have
  bool removes_all = false;  // "Contact: *"
  int64_t expires_sec = -1;  // of Expires; -1: none
  std::vector<RegisterContact> contacts{};
  std::vector<std::string> credentials{};  // values of Authorization; secrets
  std::string user_agent{};                // printable
};

struct RegisterReply {
  int status = 200;
  std::vector<std::string> challenges{};  // values of WWW-Authenticate
  std::string contacts{};                 // value of Contact
  int64_t min_expires_sec = 0;            // 0: no Min-Expires
  int64_t retry_after_sec = 0;            // 0: none
  std::string warning{};                  // value of Warning; "": none
};

// A request to decide about; called on the sip thread.
using OnRegister = std::function<void(RegisterId, const RegisterRequest&)>;

}  // namespace patchbay::sip_trunk
