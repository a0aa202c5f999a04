// Reads the settings of sip-trunk; each call keeps a copy of what it uses. Types, bounds and defaults are in
// settings.schema.json, against which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registrar/registrar_settings.h"
#include "routes/route_row.h"
#include "rtp/jitter_buffer.h"
#include "secure/secure_media.h"
#include "stack/sip_limits.h"
#include "stack/sip_types.h"
#include "tls/tls_files.h"
#include "trunks/trunk_hosts.h"

namespace patchbay::sip_trunk {

struct ServerSettings {
  std::string listen_ip;
  uint16_t listen_port = 0;
  std::string media_ip;
  uint16_t rtp_port_min = 0;
  uint16_t rtp_port_max = 0;
  std::string advertise;  // shown in Via, Contact and SDP; empty: an address of this machine
  uint16_t tls_port = 0;
  TlsFiles tls_files;
  uint32_t silence_timeout_ms = 0;
  int64_t no_media_timeout_ms = 0;
  bool require_gate = false;
  std::set<std::string> call_access;  // plugins that may use patchbay.telephony.calls
  lib::JitterBuffer::Options jitter;
  std::shared_ptr<SecureMedia> secure_media;  // shared with the calls that began with these settings
};

struct TenantTrunks {
  std::map<std::string, TrunkAccess> trunks;  // by id
  RouteRows outbound_routes;                  // in the order of the configuration; the first match counts
  std::string default_trunk;
  RouteRows inbound_routes;  // likewise
  std::string default_user;  // rung by calls that no inbound route or number takes; "": none
  int64_t user_ring_timeout_ms = kDefaultUserRingMs;  // how long calls that come in for a user ring
};

struct Settings {
  ServerSettings server;
  RegistrarSettings registrar;
  std::map<std::string, TenantTrunks, std::less<>> tenants;

  std::string primary_tenant;

  // The tenant that a request is about: the one it names, else the primary one (at the admin socket).
  std::string tenant_of(const std::string& named) const { return named.empty() ? primary_tenant : named; }

  // AF_INET or AF_INET6, that of listenIp.
  int family() const { return server.listen_ip.find(':') != std::string::npos ? AF_INET6 : AF_INET; }
  bool uses_tcp() const;
  // What an operator should know although it is allowed, one sentence each.
  std::vector<std::string> warnings() const;
  bool uses_tls() const;
  // The hosts of all trunks: the numeric ones, and the names.
  std::vector<lib::SocketAddress> trunk_addresses() const;
  std::vector<HostQuery> trunk_names() const;
  // Returns the trunk; without a host if it is no longer configured.
  TrunkAccess trunk(const std::string& tenant, const std::string& id) const;

  // Parses and checks the configuration; errors name the tenant and the field.
  static Result<Settings> read(const Config& config);
};

}  // namespace patchbay::sip_trunk
