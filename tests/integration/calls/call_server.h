// CallServer: a whole server with trunks at 127.0.0.1, and its calls as a client of the API sees them. For
// the test's thread.
#pragma once

#include <patchbay/json.h>

#include <chrono>
#include <string>
#include <vector>

#include "recorder.h"
#include "support/probe.h"
#include "support/server.h"
#include "support/sipp.h"

namespace patchbay::test {

// One call as GET gives it.
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
    std::vector<Trunk> trunks;                 // tried in this order
    std::string routes = {};                   // YAML; by default everything goes through all trunks
    std::string engine_gemini = "{}";          // the section of that plugin
    std::string sip_trunk = {};                // YAML members, as in Trunk
    std::string ai_voice = "{}";               // of the tenant
    std::string ai_voice_server = {};          // of the server: YAML members
    std::string plugins = {};                  // YAML of further plugins, a line each, indented by two blanks
    std::vector<const pb_entry*> linked = {};  // further plugins that are not files of the build
    core::ManualClock* clock = nullptr;
  };
  static constexpr char kTenant[] = "acme.example";
  static constexpr char kPhone[] = "+4930123456";

  explicit CallServer(const Options& options);

  TestServer& server() noexcept { return server_; }

  // POST with the usual fields; `more` is further JSON members, each after a comma, which win.
  http::Response post(const std::string& more = "", const std::string& phone = kPhone);
  // The same; fails the test unless it was accepted. The call's id.
  std::string create(const std::string& more = "", const std::string& phone = kPhone);
  http::Response hangup(const std::string& id);
  CallRecord get(const std::string& id);
  // The record once it has the status, or after `limit` as it is then. A driven clock ticks a
  // millisecond with each look, for what is due in the next moment.
  CallRecord wait(const std::string& id, const std::string& status,
                  std::chrono::seconds limit = std::chrono::seconds(60));
  // The transcript as JSON text; "" when there is none.
  std::string transcript(const std::string& id);

  // Topics in the order of the log, once `count` outbound-ai.finished are among them or after a minute, and
  // with all that was told together with the last one.
  std::vector<std::string> topics(const std::string& id, size_t count = 1);
  // Payload of the last event of that topic; null when there is none.
  Json last_event(const std::string& id, const std::string& topic);
  // Whether the log says so within a minute.
  bool logged(const std::string& text);
  // No leg, no join and no attempt is left, within a minute.
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

// A UDP port that takes everything and says nothing.
class DeafPort {
 public:
  DeafPort();
  ~DeafPort();
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;
  uint16_t port() const noexcept { return port_; }
  // What has come since the last time; each a datagram.
  std::vector<std::string> received();

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

}  // namespace patchbay::test
