// The queries for a host name (RFC 3263), and what they find.
#pragma once

#include <patchbay/result.h>
#include <sys/socket.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtp/address.h"
#include "stack/transport.h"

namespace patchbay::sip_trunk {

using Addresses = std::vector<lib::SocketAddress>;

// A host as configured.
struct HostQuery {
  std::string host;                      // name or numeric address, IPv6 without brackets
  uint16_t port = 0;                     // 0: from SRV records, else the transport's default
  std::optional<Transport> transport{};  // none: chosen by NAPTR and SRV records, else UDP
  int family = AF_INET;
  bool may_use_tls = false;  // without `transport`: the records may choose TLS
  friend auto operator<=>(const HostQuery&, const HostQuery&) = default;
};

// The addresses of one server: of an SRV record's target, or of a name without SRV records.
struct Server {
  uint16_t priority = 0;  // RFC 2782: lower ones are tried first
  uint16_t weight = 0;    // share among servers of one priority
  Addresses addresses{};  // with the port
};

struct Location {
  Transport transport = Transport::udp;
  std::vector<Server> servers{};
};

struct SrvRecord {
  uint16_t priority = 0;
  uint16_t weight = 0;
  uint16_t port = 0;
  std::string host;
};

struct NaptrRecord {
  uint16_t order = 0;
  uint16_t preference = 0;
  std::string flags;
  std::string service;
  std::string replacement;
};

// Blocking queries. "No such record" is an empty list; an error means that the server gave no usable answer.
class Dns {
 public:
  virtual Result<std::vector<NaptrRecord>> naptr(const std::string& name) = 0;
  virtual Result<std::vector<SrvRecord>> srv(const std::string& name) = 0;
  // The addresses of each host, in the order of `hosts`; port 0.
  virtual std::vector<Result<Addresses>> addresses(const std::vector<std::string>& hosts, int family) = 0;
  // The addresses that the file of hosts has for a name.
  virtual Addresses from_hosts_file(const std::string& host, int family) = 0;

 protected:
  ~Dns() = default;
};

}  // namespace patchbay::sip_trunk
