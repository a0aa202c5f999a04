// OwnAddresses: where the SIP stack listens, and which of its addresses peers see.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>

#include "rtp/address.h"
#include "stack/sip_stack.h"
#include "stack/transport.h"

namespace patchbay::sip_trunk {

class OwnAddresses {
 public:
  // The options outlive this.
  explicit OwnAddresses(SipStack::Options& options) : options_(options) {}

  // Fills in the options that are left open: the advertised address, and with TLS the ports. Fails if an
  // address cannot be bound. Call it before the stack is opened.
  Status choose();

  // For sofia-sip to listen on: UDP and TCP; TLS.
  std::string listen_url() const;
  std::string listen_tls_url() const;

  // Returns the Contact for requests to `target`; empty: sofia-sip's own. `port`: of UDP and TCP.
  std::string contact_for(const lib::SocketAddress& target, Transport transport, uint16_t port) const;
  // "<sip:user@192.0.2.1:5060>"; "<sip:192.0.2.1:5060>" without a user.
  std::string contact_uri(const lib::SocketAddress& target, Transport transport, uint16_t port,
                          const std::string& user) const;

 private:
  Status choose_ports(const lib::SocketAddress& listen);
  Status choose_advertised(const lib::SocketAddress& listen);
  const std::string& shown() const noexcept {
    return options_.advertise.empty() ? options_.listen_ip : options_.advertise;
  }

  SipStack::Options& options_;
  bool contact_per_trunk_ = false;  // the routing table chooses the address that each trunk sees
};

}  // namespace patchbay::sip_trunk
