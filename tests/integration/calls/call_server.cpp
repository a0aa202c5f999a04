#include "call_server.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>
#include <utility>

#include "runtime/manual_clock.h"
#include "support/json_without_host.h"
#include "support/probe_requests.h"

namespace patchbay::test {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20);

std::string yaml(const CallServer::Options& options) {
  std::string trunks;
  std::string ids;
  for (const CallServer::Trunk& trunk : options.trunks) {
    trunks += "        - {id: " + trunk.id + ", host: 127.0.0.1, port: " + std::to_string(trunk.port) +
              trunk.more + "}\n";
    ids += (ids.empty() ? "" : ", ") + trunk.id;
  }
  return R"(plugins:
  probe: {}
  recorder: {}
  media: {}
  whitelist: {}
  transcripts: {}
  ai-voice: {)" +
         (options.ai_voice_server.empty() ? "maxLoadPercent: 0" : options.ai_voice_server) + R"(}
  engine-gemini: )" +
         options.engine_gemini + R"(
  engine-local: {isolation: none}
  sip-trunk: {listenPort: 0)" +
         options.sip_trunk + "}\n" + options.plugins + R"(tenants:
  )" + CallServer::kTenant +
         R"(:
    ai-voice: )" +
         options.ai_voice + R"(
    WebPhone: {AdminSharedSecret: "0123456789abcdef01234567"}
    sip-trunk:
      outboundRoutes: )" +
         (options.routes.empty() ? "[{match: global, trunkIds: [" + ids + "]}]" : options.routes) + R"(
      trunks:
)" + trunks +
         options.tenant;
}

const CallServer::Options& fresh(const CallServer::Options& options) {
  clear_events();
  return options;
}

std::vector<const pb_entry*> linked(const CallServer::Options& options) {
  std::vector<const pb_entry*> all{probe::http_entry(), recorder_entry()};
  all.insert(all.end(), options.linked.begin(), options.linked.end());
  return all;
}

Json parsed(const std::string& text) {
  auto json = json_without_host(text);
  return json ? *std::move(json) : Json();
}

}  // namespace

CallServer::CallServer(const Options& options)
    : clock_(options.clock), server_(yaml(fresh(options)), options.clock, linked(options)) {
  REQUIRE(server_.start_error() == "");
}

http::Response CallServer::post(const std::string& more, const std::string& phone) {
  JsonWriter number;
  number.value(phone);
  std::string body =
      R"({"phone":)" + number.str() + R"(,"email":"ops@example.com","systemPrompt":"Be brief.")";
  if (more.find("\"model\"") == std::string::npos) body += R"(,"model":"gemini-3.8-live")";
  if (more.find("\"apiKey\"") == std::string::npos) body += R"(,"apiKey":"test-key")";
  probe::Call call;
  call.method = "POST";
  call.path = "/api.ashx/v1/calls";
  call.body = body + more + "}";
  call.tenant = kTenant;
  return probe::call(call);
}

std::string CallServer::create(const std::string& more, const std::string& phone) {
  const http::Response response = post(more, phone);
  INFO(response.body);
  REQUIRE(response.status == 200);
  return probe::text_member(response.body, "callId");
}

http::Response CallServer::hangup(const std::string& id) {
  probe::Call call;
  call.method = "POST";
  call.path = "/api.ashx/v1/calls/" + id + "/hangup";
  call.tenant = kTenant;
  return probe::call(call);
}

CallRecord CallServer::get(const std::string& id) {
  probe::Call call;
  call.method = "GET";
  call.path = "/api.ashx/v1/calls/" + id;
  call.tenant = kTenant;
  CallRecord record;
  record.body = probe::call(call).body;
  record.json = parsed(record.body);
  return record;
}

CallRecord CallServer::ladder(const std::string& id) { return get(id + "/ladder"); }

CallRecord CallServer::wait(const std::string& id, const std::string& status, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    CallRecord record = get(id);
    if (record.text("status") == status || std::chrono::steady_clock::now() > deadline) return record;
    std::this_thread::sleep_for(kLook);
    if (clock_ != nullptr) clock_->advance(std::chrono::milliseconds(1));
  }
}

std::string CallServer::transcript(const std::string& id) {
  probe::Call call;
  call.method = "GET";
  call.path = "/api.ashx/v1/transcripts/" + id;
  call.tenant = kTenant;
  const http::Response response = probe::call(call);
  return response.status == 200 ? response.body : std::string();
}

std::vector<std::string> CallServer::topics(const std::string& id, size_t count) {
  probe::eventually([&] {
    const std::vector<ObservedEvent> events = events_of(id);
    return static_cast<size_t>(std::count_if(events.begin(), events.end(), [](const ObservedEvent& each) {
             return each.topic == "outbound-ai.finished";
           })) >= count;
  });
  // What shares a transaction with the last one has arrived when an event published after it has.
  const std::string marker = "after-" + id;
  const size_t before = events_of(marker).size();
  CHECK(probe::emit({"test.marker", kTenant, marker, "", "{}"}));
  CHECK(probe::eventually([&] { return events_of(marker).size() > before; }));
  std::vector<ObservedEvent> events = events_of(id);
  std::sort(events.begin(), events.end(),
            [](const ObservedEvent& a, const ObservedEvent& b) { return a.id < b.id; });
  std::vector<std::string> list;
  list.reserve(events.size());
  for (ObservedEvent& each : events) list.push_back(std::move(each.topic));
  return list;
}

Json CallServer::last_event(const std::string& id, const std::string& topic) {
  std::string payload;
  static_cast<void>(probe::eventually([&] {
    for (const ObservedEvent& each : events_of(id))
      if (each.topic == topic) payload = each.payload;
    return !payload.empty();
  }));
  return parsed(payload.empty() ? "null" : payload);
}

double CallServer::metric(const std::string& name) {
  const std::string all = "\n" + server_.core().report("metrics");
  const size_t at = all.find("\n" + name);
  if (at == std::string::npos) return -1;
  const size_t value = all.find(' ', at);
  return std::strtod(all.c_str() + value, nullptr);
}

bool CallServer::logged(const std::string& text) {
  return probe::eventually([&] { return server_.log().find(text) != std::string::npos; });
}

uint16_t CallServer::sip_port() {
  const std::string log = server_.log();
  const size_t at = log.find("address=127.0.0.1:", log.rfind("listening for SIP"));
  REQUIRE(at != std::string::npos);
  return static_cast<uint16_t>(std::strtoul(log.c_str() + at + 18, nullptr, 10));
}

bool CallServer::idle() {
  return probe::eventually([this] {
    return metric("patchbay_sip_trunk_legs") == 0 && metric("patchbay_media_joins") == 0 &&
           metric("patchbay_ai_voice_attempts") == 0 && metric("patchbay_ai_voice_inbound_calls") == 0;
  });
}

Sipp start_sipp(const std::string& scenario, std::map<std::string, std::string> values, int calls,
                bool rtp_echo) {
  std::string file = std::string(CALLS_TEST_FOLDER) + "/sipp/" + scenario + ".xml";
  if (!std::filesystem::exists(file))
    file = std::string(SIP_TRUNK_TEST_FOLDER) + "/sipp/" + scenario + ".xml";
  Sipp::Options options;
  options.scenario = file;
  options.calls = calls;
  options.values = std::move(values);
  options.rtp_echo = rtp_echo;
  options.limit_sec = 60;
  auto peer = Sipp::start(options);
  if (!peer) FAIL(peer.error().text);
  return *std::move(peer);
}

void check_sipp(Sipp& sipp) {
  const int result = sipp.result();
  if (result != 0) MESSAGE(sipp.messages());
  CHECK(result == 0);
}

DeafPort::DeafPort() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(bind(fd_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
}

DeafPort::~DeafPort() { close(fd_); }

std::vector<std::string> DeafPort::received() {
  std::vector<std::string> list;
  std::array<char, 4096> buffer;
  for (ssize_t size = 0; (size = recv(fd_, buffer.data(), buffer.size(), 0)) >= 0;)
    list.emplace_back(buffer.data(), static_cast<size_t>(size));
  return list;
}

}  // namespace patchbay::test
