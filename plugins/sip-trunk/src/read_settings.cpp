#include "read_settings.h"

#include <patchbay/descriptor.h>
#include <patchbay/text.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "read_trunk.h"
#include "rtp/address.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// Refuses an address that this machine does not have, usually the public one of a machine behind NAT.
Status check_local(const char* field, const lib::SocketAddress& address) {
  const Descriptor fd(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return {};  // an unsupported family; the later bind reports it
  sockaddr_storage storage;
  const socklen_t size = address.fill(storage);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) == 0 || errno != EADDRNOTAVAIL) return {};
  return {Code::invalid,
          std::string(field) + ": " + address.ip_text() +
              " is not an address of this machine; set one of its addresses here, and the public "
              "address in advertise"};
}

Result<ServerSettings> read_server(JsonView section) {
  ServerSettings server;
  server.secure_media = std::make_shared<SecureMedia>();
  server.listen_ip = section["listenIp"].text();
  server.listen_port = static_cast<uint16_t>(section["listenPort"].integer());
  server.media_ip = section["mediaIp"].text();
  if (server.media_ip.empty()) server.media_ip = server.listen_ip;
  server.advertise = section["advertise"].text();
  server.rtp_port_min = static_cast<uint16_t>(section["rtpPortMin"].integer());
  server.rtp_port_max = static_cast<uint16_t>(section["rtpPortMax"].integer());
  server.tls_port = static_cast<uint16_t>(section["tlsPort"].integer());
  server.tls_files = {std::string(section["tlsCert"].text()),
                      std::string(section["tlsKey"].text()),
                      std::string(section["tlsCaFile"].text()),
                      {}};
  if (server.tls_files.certificate.empty() != server.tls_files.key.empty())
    return {Code::invalid, "tlsCert and tlsKey: set both or none"};
  server.silence_timeout_ms = static_cast<uint32_t>(section["silenceTimeoutMs"].integer());
  server.no_media_timeout_ms = section["noMediaTimeoutSec"].integer() * 1000;
  server.require_gate = section["requireGate"].boolean();
  const JsonView granted = section["callAccess"];
  for (size_t i = 0; i < granted.size(); ++i) server.call_access.emplace(granted.at(i).text());
  server.jitter.min_delay_ms = static_cast<uint32_t>(section["jitterMinMs"].integer());
  server.jitter.max_delay_ms = static_cast<uint32_t>(section["jitterMaxMs"].integer());
  const auto listen = lib::SocketAddress::parse(server.listen_ip, 0);
  const auto media = lib::SocketAddress::parse(server.media_ip, 0);
  if (!listen) return {Code::invalid, "listenIp must be a numeric address"};
  if (!media) return {Code::invalid, "mediaIp must be a numeric address"};
  if (media->family() != listen->family())
    return {Code::invalid, "mediaIp and listenIp must be of one address family"};
  PB_TRY(check_local("listenIp", *listen));
  PB_TRY(check_local("mediaIp", *media));
  if (!server.advertise.empty()) {
    const auto shown = lib::SocketAddress::parse(server.advertise, 0);
    if (!shown || shown->is_unspecified() || shown->family() != listen->family())
      return {Code::invalid, "advertise must be a numeric address of the family of listenIp"};
  }
  if (server.rtp_port_max < server.rtp_port_min)
    return {Code::invalid, "rtpPortMax must not be below rtpPortMin"};
  if (server.jitter.max_delay_ms < server.jitter.min_delay_ms)
    return {Code::invalid, "jitterMaxMs must not be below jitterMinMs"};
  return server;
}

Result<RegistrarSettings> read_registrar(JsonView section, const ServerSettings& server) {
  RegistrarSettings registrar;
  registrar.is_on = section.is_object();
  if (!registrar.is_on) return registrar;
  registrar.listen_ip = section["listenIp"].text();
  if (registrar.listen_ip.empty()) registrar.listen_ip = server.listen_ip;
  registrar.listen_port = static_cast<uint16_t>(section["listenPort"].integer());
  registrar.tls_port = static_cast<uint16_t>(section["tlsPort"].integer());
  registrar.has_tcp = section["tcp"].boolean();
  const JsonView algorithms = section["algorithms"];
  for (size_t i = 0; i < algorithms.size(); ++i) registrar.algorithms.emplace_back(algorithms.at(i).text());
  registrar.limits.min_expires_sec = section["minExpiresSec"].integer();
  registrar.limits.max_expires_sec = section["maxExpiresSec"].integer();
  registrar.limits.default_expires_sec = registrar.limits.max_expires_sec;
  registrar.limits.per_user = static_cast<size_t>(section["maxContactsPerUser"].integer());
  registrar.limits.total = static_cast<size_t>(section["maxContacts"].integer());
  if (registrar.limits.max_expires_sec < registrar.limits.min_expires_sec)
    return {Code::invalid, "maxExpiresSec must not be below minExpiresSec"};
  const auto listen = lib::SocketAddress::parse(registrar.listen_ip, 0);
  if (!listen) return {Code::invalid, "listenIp must be a numeric address"};
  if (listen->family() != lib::SocketAddress::parse(server.listen_ip, 0)->family())
    return {Code::invalid, "listenIp must be of the address family of sip-trunk's listenIp"};
  PB_TRY(check_local("listenIp", *listen));
  if (registrar.listen_port != 0 && registrar.listen_port == server.listen_port)
    return {Code::invalid, "listenPort must not be that of the trunks, which lets only trunks in"};
  TrunkAccess& access = registrar.access;
  read_encryption(section, access);
  PB_TRY_VALUE(access.media, read_codecs(section["codecs"]));
  return registrar;
}

Result<RouteRow> read_outbound_route(JsonView entry, const std::map<std::string, TrunkAccess>& trunks) {
  std::vector<std::string> trunk_ids;
  const JsonView ids = entry["trunkIds"];
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string id(ids.at(i).text());
    if (trunks.count(id) == 0)
      return {Code::invalid, "trunkIds[" + std::to_string(i) + "]: there is no trunk " + id};
    trunk_ids.push_back(std::move(id));
  }
  return RouteRow::outbound(entry.text("match", ""), trunk_ids);
}

Result<RouteRow> read_inbound_route(JsonView entry) {
  auto row = RouteRow::inbound(entry.text("did", ""), entry.text("fromNumber", ""), entry.text("user", ""));
  if (row && row->is_catchall() && row->caller_pattern)
    return {Code::invalid, "fromNumber: the catchall * takes calls of every caller; leave it out"};
  return row;
}

// Refuses a row that no call could reach because an earlier one is for the same calls.
Status check_unique(const RouteRows& rows, const RouteRow& row, const char* field) {
  for (const RouteRow& other : rows)
    if (other.called_pattern() == row.called_pattern() && other.calling_pattern() == row.calling_pattern())
      return {Code::invalid, std::string(field) + ": an earlier route matches the same numbers"};
  return {};
}

template <class Read>
Result<RouteRows> read_routes(JsonView list, const std::string& name, const char* field, Read read) {
  RouteRows rows;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string at = name + "[" + std::to_string(i) + "]";
    auto row = read(list.at(i));
    if (!row) return std::move(row).error().within(at);
    row->source = Source::config;
    if (const Status unique = check_unique(rows, *row, field); !unique)
      return {Code::invalid, at + "." + unique.error().text};
    rows.push_back(*std::move(row));
  }
  return rows;
}

Result<TenantTrunks> read_tenant(JsonView section) {
  TenantTrunks tenant;
  const JsonView trunks = section["trunks"];
  for (size_t i = 0; i < trunks.size(); ++i) {
    const std::string id(trunks.at(i).text("id", ""));
    const std::string field = "trunks[" + std::to_string(i) + "]";
    auto trunk = read_trunk(trunks.at(i));
    if (!trunk) return std::move(trunk).error().within(field);
    if (!tenant.trunks.emplace(id, *std::move(trunk)).second)
      return {Code::invalid, field + ".id: " + id + " is defined twice"};
  }
  PB_TRY_VALUE(tenant.outbound_routes,
               read_routes(section["outboundRoutes"], "outboundRoutes", "match",
                           [&](JsonView entry) { return read_outbound_route(entry, tenant.trunks); }));
  PB_TRY_VALUE(tenant.inbound_routes,
               read_routes(section["inboundRoutes"], "inboundRoutes", "did", &read_inbound_route));
  tenant.default_user = section["inbound"].text("defaultUser", "");
  tenant.user_ring_timeout_ms =
      section["inbound"].integer("ringTimeoutSec", kDefaultUserRingMs / 1000) * 1000;
  tenant.default_trunk = section.text("defaultTrunkId", "");
  if (!tenant.default_trunk.empty() && tenant.trunks.count(tenant.default_trunk) == 0) {
    return {Code::invalid, "defaultTrunkId: there is no trunk " + tenant.default_trunk};
  }
  return tenant;
}

// Collects the TLS files of all trunks by their hosts. Trunks at one host share its connection, so they need
// the same files.
Result<std::map<std::string, TrunkTlsFiles>> tls_files_of_hosts(
    const std::map<std::string, TenantTrunks, std::less<>>& tenants) {
  std::map<std::string, TrunkTlsFiles> all;
  bool any = false;
  for (const auto& [tenant_host, tenant] : tenants)
    for (const auto& [id, trunk] : tenant.trunks) {
      if (trunk.transport != Transport::tls && !trunk.is_transport_open) continue;
      any = any || trunk.tls_files != TrunkTlsFiles{};
      std::vector<std::string> hosts{trunk.host};
      for (const TrunkHost& other : trunk.other_hosts) hosts.push_back(other.name);
      for (const std::string& host : hosts)
        if (all.emplace(to_lower(host), trunk.tls_files).first->second != trunk.tls_files)
          return {Code::invalid, "tenants." + tenant_host + ".sip-trunk.trunks." + id +
                                     ": tlsCert, tlsKey and tlsCaFile must be those of the other trunks at " +
                                     host};
    }
  if (!any) all.clear();
  return all;
}

// Whether it is a numeric host, for which no record can choose TCP.
bool is_open_numeric(const HostQuery& query) {
  return !query.transport && lib::SocketAddress::parse(query.host, 0).ok();
}

}  // namespace

bool Settings::uses_tcp() const {
  for (const auto& [host, tenant] : tenants)
    for (const auto& [id, trunk] : tenant.trunks)
      for (const HostQuery& query : queries_of(trunk, family()))
        if (query.transport.value_or(Transport::tcp) == Transport::tcp && !is_open_numeric(query))
          return true;
  return false;
}

std::vector<std::string> Settings::warnings() const {
  std::vector<std::string> found;
  for (const auto& [host, tenant] : tenants)
    for (const auto& [id, trunk] : tenant.trunks)
      if (trunk.srtp != lib::SrtpPolicy::off && trunk.srtp_keying == lib::SrtpKeying::sdes &&
          trunk.transport != Transport::tls)
        found.push_back(
            "tenants." + host + ".sip-trunk.trunks." + id +
            ": the keys of SRTP are in its SIP messages (srtpKeys: sdes), which " +
            std::string(name_of(trunk.transport)) +
            " carries in the clear, so anyone who can read them can hear the calls; use transport: "
            "tls or srtpKeys: dtls");
  return found;
}

bool Settings::uses_tls() const {
  if (!server.tls_files.certificate.empty()) return true;
  for (const auto& [host, tenant] : tenants)
    for (const auto& [id, trunk] : tenant.trunks)
      if (trunk.transport == Transport::tls) return true;
  return false;
}

std::vector<lib::SocketAddress> Settings::trunk_addresses() const {
  std::vector<lib::SocketAddress> found;
  for (const auto& [host, tenant] : tenants)
    for (const auto& [id, trunk] : tenant.trunks) {
      for (const HostQuery& query : queries_of(trunk, family()))
        if (const auto address = lib::SocketAddress::parse(query.host, 0)) found.push_back(*address);
      for (const AddressRange& range : trunk.sources)
        for (const auto& address : range.addresses()) found.push_back(address);
    }
  return found;
}

std::vector<HostQuery> Settings::trunk_names() const {
  std::vector<HostQuery> found;
  for (const auto& [host, tenant] : tenants)
    for (const auto& [id, trunk] : tenant.trunks)
      for (HostQuery& query : queries_of(trunk, family()))
        if (!lib::SocketAddress::parse(query.host, 0)) found.push_back(std::move(query));
  return found;
}

TrunkAccess Settings::trunk(const std::string& tenant, const std::string& id) const {
  const auto at = tenants.find(tenant);
  if (at == tenants.end()) return {};
  const auto found = at->second.trunks.find(id);
  return found == at->second.trunks.end() ? TrunkAccess{} : found->second;
}

Result<Settings> Settings::read(const Config& config) {
  Settings settings;
  PB_TRY_VALUE(settings.server, read_server(config.plugin()));
  auto registrar = read_registrar(config.plugin()["registrar"], settings.server);
  if (!registrar) return std::move(registrar).error().within("registrar");
  settings.registrar = *std::move(registrar);
  for (const Config::Tenant& tenant : config.tenants()) {
    auto trunks = read_tenant(tenant.section);
    if (!trunks)
      return std::move(trunks).error().within("tenants." + std::string(tenant.host) + ".sip-trunk");
    settings.tenants.emplace(tenant.host, *std::move(trunks));
    if (tenant.primary) settings.primary_tenant = tenant.host;
  }
  PB_TRY_VALUE(settings.server.tls_files.of_hosts, tls_files_of_hosts(settings.tenants));
  if (settings.uses_tls())
    for (auto& [host, tenant] : settings.tenants)
      for (auto& [id, trunk] : tenant.trunks) trunk.may_use_tls = true;
  return settings;
}

}  // namespace patchbay::sip_trunk
