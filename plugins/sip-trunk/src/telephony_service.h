// TelephonyService: provides patchbay.telephony by the plugin's parts. Main strand.
#pragma once

#include <patchbay/service.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <string>

#include "ladder/ladders.h"
#include "legs/inbound_calls.h"
#include "legs/outbound_calls.h"
#include "read_settings.h"
#include "users/contact_directory.h"
#include "users/user_calls.h"

namespace patchbay::sip_trunk {

class TelephonyService {
 public:
  struct Parts {
    const Settings& settings;
    std::map<std::string, RegisteredGate>& gates;  // by name
    OutboundCalls& outbound;
    InboundCalls& inbound;
    ContactDirectory& contacts;
    UserCalls& user_calls;
    Ladders& ladders;
  };

  // The parts outlive this.
  TelephonyService(const Host& host, const Parts& parts);

  Status publish() { return service_.publish(); }
  // Refuses further calls that plugins dial.
  void drain() { draining_ = true; }

 private:
  Result<telephony::Dialled> dial(const telephony::Dial& request);
  Result<telephony::Dialled> dial_user(const telephony::DialUser& request);
  Result<telephony::TelephonyStatus> status(const std::string& tenant) const;

  const Parts parts_;
  bool draining_ = false;
  Provision<telephony::Telephony> service_;
};

}  // namespace patchbay::sip_trunk
