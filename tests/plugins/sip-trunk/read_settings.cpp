#include "read_settings.h"

#include <doctest/doctest.h>

#include "support/plugin_config.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

Result<Settings> read(const std::string& plugin, const std::string& tenant = "{}") {
  return Settings::read(test::PluginConfig(
      SIP_TRUNK_SETTINGS,
      R"({"plugin":)" + plugin + R"(,"tenants":{"acme.example":{"section":)" + tenant + "}}}"));
}

std::string refusal(const std::string& plugin, const std::string& tenant = "{}") {
  const auto settings = read(plugin, tenant);
  return settings ? "" : settings.error().text;
}

bool names(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("settings that are not configured have the schema's defaults") {
  const auto settings = read("{}", R"({"trunks":[{"id":"a","host":"192.0.2.1"}]})");
  REQUIRE(settings);
  const ServerSettings& server = settings->server;
  CHECK(server.listen_ip == "127.0.0.1");
  CHECK(server.listen_port == 5060);
  CHECK(server.media_ip == "127.0.0.1");
  CHECK(server.silence_timeout_ms == 5000);
  CHECK(server.no_media_timeout_ms == 20'000);
  CHECK(server.require_gate);
  CHECK(server.jitter.min_delay_ms == 40);
  CHECK(server.jitter.max_delay_ms == 100);
  CHECK(settings->trunk("acme.example", "a").port == 0);
  CHECK(settings->trunk("acme.example", "a").transport == Transport::udp);
  CHECK(settings->trunk("acme.example", "a").is_transport_open);
  CHECK_FALSE(settings->uses_tcp());  // a numeric host has no records that could choose it
}

TEST_CASE("the depth of the jitter buffer is a setting") {
  const auto settings = read(R"({"jitterMinMs":20,"jitterMaxMs":60})");
  REQUIRE(settings);
  CHECK(settings->server.jitter.min_delay_ms == 20);
  CHECK(settings->server.jitter.max_delay_ms == 60);
  CHECK(refusal(R"({"jitterMinMs":120})") == "jitterMaxMs must not be below jitterMinMs");
}

TEST_CASE("the codecs of a trunk are a setting, in the order of preference") {
  const auto media_of = [](const std::string& codecs) {
    const auto settings = read("{}", R"({"trunks":[{"id":"a","host":"192.0.2.1")" + codecs + "}]}");
    REQUIRE(settings);
    return settings->trunk("acme.example", "a").media;
  };
  using lib::Codec;
  CHECK(media_of("").codecs == std::vector<Codec>{Codec::opus, Codec::g722, Codec::pcma, Codec::pcmu});
  CHECK(media_of("").events);
  CHECK_FALSE(media_of("").comfort_noise);
  const TrunkMedia narrow = media_of(R"(,"codecs":["PCMU","CN","PCMA","PCMU"])");
  CHECK(narrow.codecs == std::vector<Codec>{Codec::pcmu, Codec::pcma});
  CHECK_FALSE(narrow.events);
  CHECK(narrow.comfort_noise);
  CHECK_FALSE(narrow.suppress_silence);
  CHECK(media_of(R"(,"codecs":["PCMU","CN"],"silenceSuppression":true)").suppress_silence);
  CHECK(names(refusal("{}", R"({"trunks":[{"id":"a","host":"x","silenceSuppression":true}]})"),
              "trunks[0]: silenceSuppression needs CN"));
  CHECK(names(refusal("{}", R"({"trunks":[{"id":"a","host":"x","codecs":["telephone-event"]}]})"),
              "trunks[0]: codecs"));
}

TEST_CASE("routes with unknown trunks, invalid or duplicate patterns are refused with the field's name") {
  const std::string trunks = R"("trunks":[{"id":"a","host":"192.0.2.1"}])";
  CHECK(refusal("{}", "{" + trunks +
                          R"(,"outboundRoutes":[{"match":"+49*","trunkIds":["a"]}],"defaultTrunkId":"a"})") ==
        "");
  CHECK(names(refusal("{}", "{" + trunks + R"(,"defaultTrunkId":"b"})"), "defaultTrunkId"));
  CHECK(names(refusal("{}", "{" + trunks + R"(,"outboundRoutes":[{"match":"+49*","trunkIds":["a","b"]}]})"),
              "outboundRoutes[0]: trunkIds[1]"));
  CHECK(names(refusal("{}", "{" + trunks + R"(,"outboundRoutes":[{"match":"+49*307","trunkIds":["a"]}]})"),
              "outboundRoutes[0]: match"));
  CHECK(names(refusal("{}", "{" + trunks + R"(,"outboundRoutes":[{"match":"0049*","trunkIds":["a"]},)" +
                                R"({"match":"+49*","trunkIds":["a"]}]})"),
              "outboundRoutes[1].match"));
  CHECK(names(refusal("{}", R"({"trunks":[{"id":"a","host":"x"},{"id":"a","host":"y"}]})"), "trunks[1].id"));
}

TEST_CASE("a password needs a realm") {
  CHECK(names(refusal("{}", R"({"trunks":[{"id":"a","host":"x","username":"u","password":"p"}]})"), "realm"));
  CHECK(refusal("{}", R"({"trunks":[{"id":"a","host":"x","username":"u","password":"p","realm":"r"}]})") ==
        "");
}

TEST_CASE("addresses that this machine does not have are refused with a hint to advertise") {
  CHECK(names(refusal(R"({"listenIp":"203.0.113.9"})"), "listenIp"));
  CHECK(names(refusal(R"({"mediaIp":"203.0.113.9"})"), "advertise"));
  CHECK(refusal(R"({"listenIp":"0.0.0.0","advertise":"203.0.113.9"})") == "");
  CHECK(names(refusal(R"({"advertise":"example.org"})"), "advertise"));
  CHECK(names(refusal(R"({"advertise":"0.0.0.0"})"), "advertise"));
  CHECK(names(refusal(R"({"advertise":"2001:db8::1"})"), "advertise"));
}

TEST_CASE("the configuration knows the trunks' addresses and whether one needs TCP") {
  const auto settings = read("{}", R"({"trunks":[{"id":"a","host":"192.0.2.1"},
    {"id":"b","host":"trunk.example","transport":"tcp"}]})");
  REQUIRE(settings);
  CHECK(settings->uses_tcp());
  REQUIRE(settings->trunk_addresses().size() == 1);
  CHECK(settings->trunk_names() == std::vector<HostQuery>{{"trunk.example", 0, Transport::tcp, AF_INET}});
  CHECK(settings->trunk("acme.example", "b").host == "trunk.example");
  CHECK(settings->trunk("acme.example", "c").host.empty());
}

TEST_CASE("a trunk has several hosts, each with an optional port") {
  const auto hosts = [](const std::string& others) {
    const auto settings =
        read("{}", R"({"trunks":[{"id":"a","host":"x","port":5070,"otherHosts":[)" + others + "]}]}");
    if (!settings) return settings.error().text;
    std::string all;
    for (const HostQuery& query : queries_of(settings->trunk("acme.example", "a"), AF_INET))
      all += query.host + "/" + std::to_string(query.port) + "/" + (query.transport ? "udp " : "any ");
    return all;
  };
  CHECK(hosts(R"("sip2.example","192.0.2.1:5080")") == "x/5070/udp sip2.example/0/any 192.0.2.1/5080/udp ");
  CHECK(hosts(R"("2001:db8::1","[2001:db8::2]:7")") == "x/5070/udp 2001:db8::1/0/any 2001:db8::2/7/udp ");
  for (const char* text : {"x:", ":5060", "x:0", "x:65536", "x:5x"})
    CHECK(names(hosts("\"" + std::string(text) + "\""), "otherHosts[0]"));
  CHECK(read("{}", R"({"trunks":[{"id":"a","host":"trunk.example"}]})")->uses_tcp());  // SRV may choose it
}

TEST_CASE("TLS files of a trunk come in pairs, for TLS only, and are the same for all trunks at a host") {
  const auto with = [](const std::string& more, const std::string& second = "") {
    return R"({"trunks":[{"id":"a","host":"Sip.example","transport":"tls")" + more + "}" + second + "]}";
  };
  const std::string own = R"(,"tlsCert":"/c","tlsKey":"/k","tlsCaFile":"/a")";
  const auto settings = read("{}", with(own, R"(,{"id":"b","host":"192.0.2.1","transport":"tls"})"));
  REQUIRE(settings);
  const auto& hosts = settings->server.tls_files.of_hosts;
  REQUIRE(hosts.size() == 2);
  CHECK(hosts.at("sip.example") == TrunkTlsFiles{"/c", "/k", "/a"});
  CHECK(hosts.at("192.0.2.1") == TrunkTlsFiles{});
  CHECK(read("{}", with(""))->server.tls_files.of_hosts.empty());
  CHECK(names(refusal("{}", with(R"(,"tlsCert":"/c")")), "tlsCert and tlsKey: set both or none"));
  CHECK(names(refusal("{}", R"({"trunks":[{"id":"a","host":"x","transport":"udp","tlsCaFile":"/a"}]})"),
              "need transport: tls"));
  CHECK(names(refusal("{}", with(own, R"(,{"id":"b","host":"sip.EXAMPLE","transport":"tls"})")),
              "must be those of the other trunks at"));
}
