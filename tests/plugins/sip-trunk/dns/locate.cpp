#include "dns/locate.h"

#include <doctest/doctest.h>

#include <map>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

// The records that the test sets. Names without any have no record.
struct Records final : Dns {
  Result<std::vector<NaptrRecord>> naptr(const std::string& name) override {
    asked += "naptr " + name + ", ";
    if (fails) return {Code::unavailable, "SERVFAIL"};
    return naptrs[name];
  }
  Result<std::vector<SrvRecord>> srv(const std::string& name) override {
    asked += "srv " + name + ", ";
    if (fails) return {Code::unavailable, "SERVFAIL"};
    return srvs[name];
  }
  std::vector<Result<Addresses>> addresses(const std::vector<std::string>& names, int) override {
    std::vector<Result<Addresses>> results;
    for (const std::string& name : names) {
      asked += "a " + name + ", ";
      if (hosts.count(name) == 0) {
        results.emplace_back(Error{Code::unavailable, "no such name"});
      } else {
        results.emplace_back(Addresses{*lib::SocketAddress::parse(hosts[name], 0)});
      }
    }
    return results;
  }
  Addresses from_hosts_file(const std::string& host, int) override {
    return host == "listed" ? Addresses{*lib::SocketAddress::parse("192.0.2.99", 0)} : Addresses();
  }
  // "tcp 192.0.2.1:5060 192.0.2.2:5070"
  std::string find(const HostQuery& query) {
    const auto found = locate(*this, query);
    if (!found) return found.error().text;
    std::string text = name_of(found->transport);
    for (const Server& server : found->servers)
      for (const auto& address : server.addresses) text += " " + address.text();
    return text;
  }

  std::map<std::string, std::vector<NaptrRecord>> naptrs;
  std::map<std::string, std::vector<SrvRecord>> srvs;
  std::map<std::string, std::string> hosts;
  std::string asked;
  bool fails = false;
};

}  // namespace

TEST_CASE("a name without NAPTR and SRV records has its addresses, and UDP") {
  Records dns;
  dns.hosts["x.example"] = "192.0.2.1";
  CHECK(dns.find({"x.example"}) == "udp 192.0.2.1:5060");
  CHECK(dns.asked == "naptr x.example, srv _sip._udp.x.example, srv _sip._tcp.x.example, a x.example, ");
  CHECK(dns.find({"x.example", 0, Transport::tcp}) == "tcp 192.0.2.1:5060");
  CHECK(dns.find({"y.example"}) == "no such name");
}

TEST_CASE("a port, a numeric host and the file of hosts need no SRV records") {
  Records dns;
  dns.hosts["x.example"] = "192.0.2.1";
  dns.srvs["_sip._udp.x.example"] = {{1, 1, 5099, "x.example"}};
  CHECK(dns.find({"x.example", 5080}) == "udp 192.0.2.1:5080");
  CHECK(dns.find({"192.0.2.7"}) == "udp 192.0.2.7:5060");
  CHECK(dns.find({"listed"}) == "udp 192.0.2.99:5060");
  CHECK(dns.asked == "a x.example, ");
}

TEST_CASE("the NAPTR record of the lowest order and a known service chooses the transport") {
  Records dns;
  dns.naptrs["x.example"] = {{30, 1, "s", "SIP+D2U", "udp.x.example"},
                             {20, 2, "S", "sip+d2t", "tcp.x.example"},
                             {20, 1, "u", "E2U+sip", "other.example"}};
  dns.srvs["udp.x.example"] = {{1, 1, 5060, "a.example"}};
  dns.srvs["tcp.x.example"] = {{1, 1, 5070, "a.example"}};
  dns.hosts["a.example"] = "192.0.2.1";
  CHECK(dns.find({"x.example"}) == "tcp 192.0.2.1:5070");
  dns.srvs.erase("tcp.x.example");
  CHECK(dns.find({"x.example"}) == "udp 192.0.2.1:5060");
}

TEST_CASE("SRV records are sorted by priority, and those without an address are left out") {
  Records dns;
  dns.srvs["_sip._udp.x.example"] = {
      {2, 0, 5062, "b.example"}, {1, 0, 5061, "a.example"}, {0, 0, 5063, "gone.example"}};
  dns.hosts = {{"a.example", "192.0.2.1"}, {"b.example", "192.0.2.2"}};
  CHECK(dns.find({"x.example", 0, Transport::udp}) == "udp 192.0.2.1:5061 192.0.2.2:5062");
  dns.hosts.clear();
  CHECK(dns.find({"x.example", 0, Transport::udp}) == "gone.example of its SRV records: no such name");
  dns.srvs["_sip._udp.x.example"] = {{0, 0, 0, "."}};
  CHECK(dns.find({"x.example", 0, Transport::udp}) ==
        "its SRV record _sip._udp.x.example says that there is no such service");
}

TEST_CASE("a record that leads nowhere does not hide the next one") {
  Records dns;
  dns.hosts["a.example"] = "192.0.2.1";
  dns.srvs["_sip._udp.x.example"] = {{0, 0, 0, "."}};
  dns.srvs["_sip._tcp.x.example"] = {{0, 0, 5070, "a.example"}};
  CHECK(dns.find({"x.example"}) == "tcp 192.0.2.1:5070");
  dns.naptrs["x.example"] = {{1, 1, "s", "SIP+D2U", "six.example"}, {2, 1, "s", "SIP+D2T", "tcp.example"}};
  dns.srvs["six.example"] = {{0, 0, 5061, "only-ipv6.example"}};
  dns.srvs["tcp.example"] = {{0, 0, 5080, "a.example"}};
  CHECK(dns.find({"x.example"}) == "tcp 192.0.2.1:5080");
}

TEST_CASE("a server that gives no answer is a failure, not a name without records") {
  Records dns;
  dns.fails = true;
  dns.hosts["x.example"] = "192.0.2.1";
  CHECK(dns.find({"x.example"}) == "SERVFAIL");
  CHECK(dns.find({"x.example", 0, Transport::udp}) == "SERVFAIL");
}
