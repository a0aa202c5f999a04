#include "dns/locate.h"

#include <patchbay/text.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

struct SipService {
  Transport transport;
  const char* naptr;   // RFC 3263 section 8.1
  const char* prefix;  // of the name that has the SRV records
};

// In the order of trying when a domain has SRV records but no NAPTR.
constexpr SipService kServices[] = {{Transport::udp, "SIP+D2U", "_sip._udp."},
                                    {Transport::tcp, "SIP+D2T", "_sip._tcp."},
                                    {Transport::tls, "SIPS+D2T", "_sips._tcp."}};

bool may_use(const HostQuery& query, Transport transport) {
  if (query.transport) return *query.transport == transport;
  return transport != Transport::tls || query.may_use_tls;
}

Addresses with_port(Addresses addresses, uint16_t port) {
  for (auto& address : addresses) address = address.with_port(port);
  return addresses;
}

uint16_t port_of(const HostQuery& query, Transport transport) {
  return query.port != 0 ? query.port : default_port(transport);
}

Result<Location> by_address(Dns& dns, const HostQuery& query) {
  Location found{query.transport.value_or(Transport::udp), {}};
  PB_TRY_VALUE(Addresses addresses, dns.addresses({query.host}, query.family).front());
  found.servers.push_back({0, 0, with_port(std::move(addresses), port_of(query, found.transport))});
  return found;
}

// Returns the servers of the name's SRV records; none if it has no such records.
Result<std::vector<Server>> by_srv(Dns& dns, const std::string& name, int family) {
  PB_TRY_VALUE(std::vector<SrvRecord> records, dns.srv(name));
  if (records.size() == 1 && (records[0].host.empty() || records[0].host == "."))  // RFC 2782: target "."
    return Error{Code::unavailable, "its SRV record " + name + " says that there is no such service"};
  std::stable_sort(records.begin(), records.end(),
                   [](const SrvRecord& a, const SrvRecord& b) { return a.priority < b.priority; });
  if (records.size() > kMaxSrvRecords) records.resize(kMaxSrvRecords);
  std::vector<std::string> hosts;
  for (const SrvRecord& record : records) hosts.push_back(record.host);
  std::vector<Server> servers;
  if (hosts.empty()) return servers;
  Error first_error;
  const auto addresses = dns.addresses(hosts, family);
  for (size_t i = 0; i < records.size(); ++i) {
    if (addresses[i]) {
      servers.push_back({records[i].priority, records[i].weight, with_port(*addresses[i], records[i].port)});
    } else if (first_error.text.empty()) {
      first_error = {Code::unavailable,
                     records[i].host + " of its SRV records: " + addresses[i].error().text};
    }
  }
  if (servers.empty()) return first_error;
  return servers;
}

void keep_first(Error& fault, const Result<std::vector<Server>>& servers) {
  if (!servers && fault.text.empty()) fault = servers.error();
}

// Returns the location that the best usable NAPTR record names; without servers if there is none. A record
// whose servers have no address does not hide the next one; `fault` is then why.
Result<Location> by_naptr(Dns& dns, const HostQuery& query, Error& fault) {
  PB_TRY_VALUE(std::vector<NaptrRecord> records, dns.naptr(query.host));
  std::stable_sort(records.begin(), records.end(), [](const NaptrRecord& a, const NaptrRecord& b) {
    return std::tie(a.order, a.preference) < std::tie(b.order, b.preference);
  });
  if (records.size() > kMaxNaptrRecords) records.resize(kMaxNaptrRecords);
  for (const NaptrRecord& record : records) {
    const auto service = std::find_if(
        std::begin(kServices), std::end(kServices),
        [&](const SipService& known) { return equals_ignoring_case(record.service, known.naptr); });
    if (service == std::end(kServices) || !equals_ignoring_case(record.flags, "s") ||
        !may_use(query, service->transport))
      continue;
    auto servers = by_srv(dns, record.replacement, query.family);
    if (servers && !servers->empty()) return Location{service->transport, *std::move(servers)};
    keep_first(fault, servers);
  }
  return Location{};
}

}  // namespace

std::optional<Location> numeric_location(const HostQuery& query) {
  const Transport transport = query.transport.value_or(Transport::udp);
  const auto numeric = lib::SocketAddress::parse(query.host, port_of(query, transport));
  if (!numeric) return std::nullopt;
  return Location{transport, {{0, 0, {*numeric}}}};
}

Result<Location> locate(Dns& dns, const HostQuery& query) {
  const Transport transport = query.transport.value_or(Transport::udp);
  const uint16_t port = port_of(query, transport);
  if (auto numeric = numeric_location(query)) return *std::move(numeric);
  if (Addresses addresses = dns.from_hosts_file(query.host, query.family); !addresses.empty())
    return Location{transport, {{0, 0, with_port(std::move(addresses), port)}}};
  if (query.port != 0) return by_address(dns, query);
  Error fault;
  if (!query.transport) {
    PB_TRY_VALUE(Location found, by_naptr(dns, query, fault));
    if (!found.servers.empty()) return found;
  }
  for (const SipService& service : kServices) {
    if (!may_use(query, service.transport)) continue;
    auto servers = by_srv(dns, service.prefix + query.host, query.family);
    if (servers && !servers->empty()) return Location{service.transport, *std::move(servers)};
    keep_first(fault, servers);
  }
  if (!fault.text.empty()) return fault;
  return by_address(dns, query);
}

}  // namespace patchbay::sip_trunk
