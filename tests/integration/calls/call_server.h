// CallServer: a whole server with trunks at 127.0.0.1, and requests for calls as a client makes them. Used on
// the test's thread.
#pragma once

#include <patchbay/json.h>

#include <chrono>
#include <string>
#include <vector>

#include "event_recorder.h"
#include "support/probe_plugin.h"
#include "support/sipp_peer.h"
#include "support/test_server.h"

namespace patchbay::test {

// A call's record as returned by GET.
struct CallRecord {
  std::string body;
  Json json;
  std::string text(const char* name) const { return std::string(json.root().text(name, "(absent)")); }
  int64_t integer(const char* name) const { return json.root().integer(name, -1); }
  bool is_null(const char* name) const { return json.root()[name].is_null(); }
};

class CallServer {
 public:
  struct Trunk {
    std::string id;
    uint16_t port = 0;
    std::string more = {};  // further YAML members, each after a comma
  };
  struct Options {
    std::vector<Trunk> trunks;         // tried in this order
    std::string routes = {};           // YAML; by default everything goes through all trunks
    std::string engine_gemini = "{}";  // the section of that plugin
    std::string sip_trunk = {};        // YAML members, as in Trunk
    std::string ai_voice = "{}";       // of the tenant
    // Of the server: YAML members. By default calls start however busy the machine is.
    std::string ai_voice_server = {};
    std::string plugins = {};  // YAML of further plugins, a line each, indented by two blanks
    std::string tenant = {};   // YAML of further sections of the tenant, a line each, indented by four blanks
    std::vector<const pb_entry*> linked = {};  // further plugins that are not files of the build
    core::ManualClock* clock = nullptr;
  };
  static constexpr char kTenant[] = "acme.example";
  static constexpr char kPhone[] = "+4930123456";

  explicit CallServer(const Options& options);

  TestServer& server() noexcept { return server_; }

  // POST with default fields; `more` is further JSON members, each after a comma, which take precedence.
  http::Response post(const std::string& more = "", const std::string& phone = kPhone);
  // The same; fails the test unless it was accepted. Returns the call's id.
  std::string create(const std::string& more = "", const std::string& phone = kPhone);
  http::Response hangup(const std::string& id);
  CallRecord get(const std::string& id);
  // The answer to GET /calls/{id}/ladder.
  CallRecord ladder(const std::string& id);
  // Waits until the record has the status, at most `limit`, and returns it. A manual clock is advanced by a
  // millisecond at each poll, so that timers fire.
  CallRecord wait(const std::string& id, const std::string& status,
                  std::chrono::seconds limit = std::chrono::seconds(60));
  // The transcript as JSON text; "" when there is none.
  std::string transcript(const std::string& id);

  // Waits for `count` outbound-ai.finished, at most a minute, and for the events committed together with the
  // last one; returns the topics in the order of the log.
  std::vector<std::string> topics(const std::string& id, size_t count = 1);
  // The payload of the last event of that topic, for whose first one it waits; null when there is none.
  Json last_event(const std::string& id, const std::string& topic);
  // Waits at most a minute for the text in the log.
  bool logged(const std::string& text);
  uint16_t sip_port();
  // Waits at most a minute until no leg, join or attempt is left.
  bool idle();
  double metric(const std::string& name);

 private:
  core::ManualClock* const clock_;
  TestServer server_;
};

// SIPp with a scenario of this folder or of tests/plugins/sip-trunk/sipp.
Sipp start_sipp(const std::string& scenario, std::map<std::string, std::string> values = {}, int calls = 1,
                bool rtp_echo = false);
void check_sipp(Sipp& sipp);

// A UDP port that receives everything and answers nothing.
class DeafPort {
 public:
  DeafPort();
  ~DeafPort();
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;
  uint16_t port() const noexcept { return port_; }
  // The datagrams since the last call.
  std::vector<std::string> received();

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

}  // namespace patchbay::test
