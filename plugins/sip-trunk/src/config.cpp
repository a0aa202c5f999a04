#include "config.h"

#include <utility>

#include "rtp/address.h"

namespace patchbay::sip_trunk {
namespace {

Result<ServerSettings> read_server(JsonView section) {
  ServerSettings server;
  server.listen_ip = section.text("listenIp", "127.0.0.1");
  server.listen_port = static_cast<uint16_t>(section.integer("listenPort", 5060));
  server.media_ip = section.text("mediaIp", "");
  if (server.media_ip.empty()) server.media_ip = server.listen_ip;
  server.rtp_port_min = static_cast<uint16_t>(section.integer("rtpPortMin", 0));
  server.rtp_port_max = static_cast<uint16_t>(section.integer("rtpPortMax", 0));
  server.silence_timeout_ms = static_cast<uint32_t>(section.integer("silenceTimeoutMs", 5000));
  server.no_media_timeout_ms = section.integer("noMediaTimeoutSec", 20) * 1000;
  server.require_gate = section.boolean("requireGate", true);
  if (!lib::SocketAddress::parse(server.listen_ip, 0))
    return {Code::invalid, "listenIp must be a numeric address"};
  if (!lib::SocketAddress::parse(server.media_ip, 0))
    return {Code::invalid, "mediaIp must be a numeric address"};
  if (server.rtp_port_max < server.rtp_port_min)
    return {Code::invalid, "rtpPortMax must not be below rtpPortMin"};
  return server;
}

TrunkAccess read_trunk(JsonView entry) {
  TrunkAccess trunk;
  trunk.host = entry.text("host", "");
  trunk.port = static_cast<uint16_t>(entry.integer("port", 5060));
  trunk.transport = entry.text("transport", "udp") == "tcp" ? Transport::tcp : Transport::udp;
  trunk.username = entry.text("username", "");
  trunk.password = entry.text("password", "");
  trunk.realm = entry.text("realm", "");
  trunk.from_domain = entry.text("fromDomain", "");
  trunk.caller_id = entry.text("callerId", "");
  return trunk;
}

Result<OutboundRoute> read_route(JsonView entry, const std::map<std::string, TrunkAccess>& trunks) {
  auto match = lib::NumberPattern::match(entry.text("match", ""));
  if (!match) return std::move(match).error().within("outboundRoutes.match");
  OutboundRoute route{*std::move(match), {}};
  const JsonView ids = entry["trunkIds"];
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string id(ids.at(i).text());
    if (trunks.count(id) == 0)
      return {Code::invalid, "outboundRoutes.trunkIds names no configured trunk: " + id};
    route.trunk_ids.push_back(std::move(id));
  }
  return route;
}

Result<TenantTrunks> read_tenant(JsonView section) {
  TenantTrunks tenant;
  const JsonView trunks = section["trunks"];
  for (size_t i = 0; i < trunks.size(); ++i) {
    const std::string id(trunks.at(i).text("id", ""));
    if (!tenant.trunks.emplace(id, read_trunk(trunks.at(i))).second) {
      return {Code::invalid, "trunks: the id " + id + " is there twice"};
    }
  }
  const JsonView routes = section["outboundRoutes"];
  for (size_t i = 0; i < routes.size(); ++i) {
    PB_TRY_VALUE(OutboundRoute route, read_route(routes.at(i), tenant.trunks));
    tenant.routes.push_back(std::move(route));
  }
  tenant.default_trunk = section.text("defaultTrunkId", "");
  if (!tenant.default_trunk.empty() && tenant.trunks.count(tenant.default_trunk) == 0) {
    return {Code::invalid, "defaultTrunkId names no configured trunk: " + tenant.default_trunk};
  }
  return tenant;
}

}  // namespace

std::vector<std::string> TenantTrunks::trunks_for(const std::string& number) const {
  for (const OutboundRoute& route : routes) {
    if (route.match.matches(number)) return route.trunk_ids;
  }
  if (default_trunk.empty()) return {};
  return {default_trunk};
}

Result<Settings> Settings::read(const Config& config) {
  Settings settings;
  PB_TRY_VALUE(settings.server, read_server(config.plugin()));
  for (const Config::Tenant& tenant : config.tenants()) {
    auto trunks = read_tenant(tenant.section);
    if (!trunks)
      return std::move(trunks).error().within("tenants." + std::string(tenant.host) + ".sip-trunk");
    settings.tenants.emplace(tenant.host, *std::move(trunks));
  }
  return settings;
}

}  // namespace patchbay::sip_trunk
