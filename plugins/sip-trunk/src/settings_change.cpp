#include "settings_change.h"

namespace patchbay::sip_trunk {

Status check_change(const Settings& now, const Settings& next, bool has_tcp, bool has_tls) {
  if (next.server.listen_ip != now.server.listen_ip || next.server.listen_port != now.server.listen_port ||
      next.server.tls_port != now.server.tls_port || next.server.advertise != now.server.advertise)
    return {Code::unsupported, "listenIp, listenPort, tlsPort and advertise change only by a restart"};
  if (next.uses_tcp() && !has_tcp)
    return {Code::unsupported, "the first trunk over TCP needs a restart: SIP listens on UDP only"};
  if (next.uses_tls() && !has_tls)
    return {Code::unsupported, "the first trunk over TLS needs a restart: SIP does not listen for TLS"};
  if (!next.registrar.has_same_sockets(now.registrar))
    return {Code::unsupported,
            "registrar: the section, listenIp, listenPort, tlsPort, tcp and algorithms change only by a "
            "restart"};
  return {};
}

}  // namespace patchbay::sip_trunk
