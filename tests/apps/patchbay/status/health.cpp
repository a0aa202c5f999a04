#include "status/health.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "status/health_rules.h"

using namespace patchbay::app;

namespace {

MetricReadings readings(const char* before, const char* after, double seconds = 1) {
  return {MetricSamples::parse(before), MetricSamples::parse(after), seconds};
}

}  // namespace

TEST_CASE("a server without metrics has no problems and an empty screen") {
  CHECK(find_problems(readings("", "")).empty());
  CHECK(health_figures(readings("", "")).empty());
}

TEST_CASE("a counter is a problem while it grows, not for its total") {
  const char* once = "patchbay_core_events_dropped_total{plugin=\"webhooks\"} 7\n";
  const char* more = "patchbay_core_events_dropped_total{plugin=\"webhooks\"} 9\n";
  CHECK(find_problems(readings(once, once)).empty());
  const auto findings = find_problems(readings(once, more));
  REQUIRE(findings.size() == 1);
  CHECK(
      findings[0].problem ==
      "2 events were lost because a plugin is too slow in the last 1 s, 9 since the start (plugin webhooks)");
  CHECK_FALSE(findings[0].advice.empty());
}

TEST_CASE("what was counted before the interval is listed as a total since the start") {
  const char* text =
      "patchbay_core_uptime_seconds 11000\n"
      "patchbay_sip_trunk_failovers_total{tenant=\"a\"} 2\n"
      "patchbay_sip_trunk_failovers_total{tenant=\"b\"} 10\n"
      "patchbay_sip_trunk_rtp_lost_total 49\n"
      "patchbay_engine_audio_dropped_ms_total{engine=\"local\"} 4000\n";
  CHECK(find_problems(readings(text, text)).empty());
  const auto past = find_past(readings(text, text));
  REQUIRE(past.size() == 2);
  CHECK(past[0].problem ==
        "4000 ms of callers' speech were dropped because the engine took it too slowly (engine local)");
  CHECK(past[1].problem == "12 calls went to the next trunk (most: tenant b)");
  CHECK_FALSE(past[1].advice.empty());
  CHECK(since_start(readings(text, text)) == "Since the start 3 h ago");
  CHECK(since_start(readings("", "")) == "Since the start");
  CHECK(find_past(readings("", text)).size() == 0);  // it continues, so find_problems reports it
  CHECK(find_problems(readings("", text)).size() == 3);
}

TEST_CASE("values that an operator must act on are problems, and normal ones are not") {
  struct Row {
    const char* series;
    double value;
    bool is_problem;
  };
  for (const Row& row : {Row{"patchbay_sip_trunk_requests_refused_total{reason=\"foreign\"}", 1, true},
                         Row{"patchbay_sip_trunk_requests_refused_total{reason=\"rate\"}", 1, false},
                         Row{"patchbay_engine_unsaid_total{engine=\"local\"}", 1, true},
                         Row{"patchbay_core_posts_refused_total{plugin=\"webhooks\"}", 1, true},
                         Row{"patchbay_sip_trunk_names_unresolved", 1, true},
                         Row{"patchbay_sip_trunk_name_failures_total", 1, false},
                         Row{"patchbay_sip_trunk_dialogs_left_behind_total", 1, true},
                         Row{"patchbay_sip_trunk_byes_given_up_total", 1, true},
                         Row{"patchbay_sip_trunk_tcp_shut_total{reason=\"excess\"}", 1, true},
                         Row{"patchbay_sip_trunk_tcp_shut_total{reason=\"idle\"}", 9, false},
                         Row{"patchbay_sip_trunk_rtp_dropped_total", 50, false},
                         Row{"patchbay_sip_trunk_rtp_dropped_total", 200, true},
                         Row{"patchbay_rest_api_bearers_waiting", 10, false},
                         Row{"patchbay_rest_api_bearers_waiting", 32, true}}) {
    CAPTURE(std::string(row.series));
    const std::string before = std::string(row.series) + " 0\n";
    const std::string after = std::string(row.series) + " " + std::to_string(row.value) + "\n";
    CHECK(find_problems(readings(before.c_str(), after.c_str())).size() == (row.is_problem ? 1 : 0));
    CHECK(find_problems(readings(before.c_str(), before.c_str())).empty());
  }
}

TEST_CASE(
    "calls refused by the processor limit get advice with its current values, not that of other limits") {
  const char* before = "patchbay_ai_voice_limited_total{limit=\"load\"} 0\n";
  const char* after =
      "patchbay_ai_voice_limited_total{limit=\"load\"} 3\n"
      "patchbay_ai_voice_load 0.9312\n"
      "patchbay_ai_voice_load_limit 0.9\n"
      "patchbay_core_usable_cores 1.5\n";
  const auto findings = find_problems(readings(before, after));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].problem.find("processor limit") != std::string::npos);
  CHECK(findings[0].advice.find("93 % of its 1.5 cores") != std::string::npos);
  CHECK(findings[0].advice.find("plugins.ai-voice.maxLoadPercent is 90:") != std::string::npos);
  CHECK(findings[0].advice.find("maxCalls") == std::string::npos);
  const auto past = find_past(readings(after, after));
  REQUIRE(past.size() == 1);
  CHECK(past[0].advice == findings[0].advice);
  const auto unknown = find_problems(readings(before, "patchbay_ai_voice_limited_total{limit=\"load\"} 3\n"));
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].advice.find("? % of its ? cores") != std::string::npos);
}

TEST_CASE("the advice for calls refused because of late threads shows their wait in milliseconds") {
  const auto findings = find_problems(readings("patchbay_ai_voice_limited_total{limit=\"late\"} 0\n",
                                               "patchbay_ai_voice_limited_total{limit=\"late\"} 1\n"
                                               "patchbay_ai_voice_core_wait_seconds 0.00062\n"
                                               "patchbay_ai_voice_late_ticks 0.02\n"
                                               "patchbay_core_usable_cores 2\n"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].advice.find("wait 0.62 ms for a processor each time, and 2 % of the ticks") !=
        std::string::npos);
}

TEST_CASE("each limit of calls has advice that names its setting") {
  struct Row {
    const char* limit;
    const char* says;
  };
  for (const Row& row :
       {Row{"load", "maxLoadPercent"}, Row{"late", "other programs"}, Row{"server", "maxCalls"},
        Row{"tenant", "maxConcurrentCalls"}, Row{"backlog", "maxWaitingCalls"}, Row{"rate", "callsPerSecond"},
        Row{"trunk", "maxCalls"}}) {
    CAPTURE(std::string(row.limit));
    const std::string series = "patchbay_ai_voice_limited_total{limit=\"" + std::string(row.limit) + "\"} ";
    const auto findings = find_problems(readings((series + "1\n").c_str(), (series + "2\n").c_str()));
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].advice.find(row.says) != std::string::npos);
  }
}

TEST_CASE("each series is evaluated separately") {
  const char* text =
      "patchbay_media_stalled_loops{loop=\"0\"} 0\n"
      "patchbay_media_stalled_loops{loop=\"1\"} 1\n";
  const auto findings = find_problems(readings(text, text));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].problem.find("loop 1") != std::string::npos);
}

TEST_CASE("the screen shows rates and means over the time between the readings") {
  const auto rows =
      health_figures(readings("patchbay_rest_api_requests_total{status=\"2xx\"} 100\n"
                              "patchbay_rest_api_requests_total{status=\"4xx\"} 10\n"
                              "patchbay_rest_api_request_seconds_sum 1\n"
                              "patchbay_rest_api_request_seconds_count 100\n",
                              "patchbay_rest_api_requests_total{status=\"2xx\"} 130\n"
                              "patchbay_rest_api_requests_total{status=\"4xx\"} 20\n"
                              "patchbay_rest_api_request_seconds_sum 1.08\n"
                              "patchbay_rest_api_request_seconds_count 140\n",
                              2));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0][0] == "http");
  CHECK(rows[0][1] == "20 requests/s, 2 ms each");
}

// Otherwise renaming a metric would disable its rule without a failing test.
TEST_CASE("every metric of the rules and the screen is exported by the core or a plugin") {
  std::string sources;
  for (const char* folder : {"/core/src", "/plugins"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(TEST_TREE) + folder)) {
      if (file.path().extension() != ".cpp") continue;
      std::ostringstream text;
      text << std::ifstream(file.path()).rdbuf();
      sources += text.str();
    }
  }
  const auto exported = [&](std::string_view metric) {
    return sources.find("\"" + std::string(metric) + "\"") != std::string::npos;
  };
  for (const HealthRule& rule : health_rules())
    CHECK_MESSAGE(exported(rule.metric), std::string(rule.metric));
  for (const Figure& figure : health_screen())
    CHECK_MESSAGE(exported(figure.metric), std::string(figure.metric));
  for (const HealthRule& rule : health_rules()) {
    for (size_t at = rule.advice.find('$'); at != std::string_view::npos;
         at = rule.advice.find('$', at + 1)) {
      const std::string_view rest = rule.advice.substr(at + 1);
      const std::string_view metric = rest.substr(0, rest.find_first_of(" ;%"));
      CHECK_MESSAGE(exported(metric), std::string(metric));
    }
  }
}

// Otherwise following the advice would be an error in the configuration.
TEST_CASE("every plugin setting named in an advice is in that plugin's schema") {
  const std::string prefix = "plugins.";
  for (const HealthRule& rule : health_rules()) {
    const std::string advice(rule.advice);
    for (size_t at = advice.find(prefix); at != std::string::npos; at = advice.find(prefix, at + 1)) {
      const size_t end = advice.find_first_of(" ,;", at);
      const std::string setting = advice.substr(at + prefix.size(), end - at - prefix.size());
      const std::string plugin = setting.substr(0, setting.find('.'));
      std::ostringstream schema;
      schema << std::ifstream(TEST_TREE "/plugins/" + plugin + "/settings.schema.json").rdbuf();
      const std::string last = setting.substr(setting.rfind('.') + 1);
      CHECK_MESSAGE(schema.str().find("\"" + last + "\"") != std::string::npos, setting);
    }
  }
}

TEST_CASE("every rule shows its figure and says what to do") {
  for (const HealthRule& rule : health_rules()) {
    CAPTURE(std::string(rule.metric));
    CHECK(rule.problem.find('#') != std::string_view::npos);
    CHECK(rule.advice.size() > 20);
    if (!rule.past.empty()) CHECK(rule.past.find('#') != std::string_view::npos);
    CHECK((rule.reading == Reading::now || rule.reading == Reading::increase ||
           rule.reading == Reading::per_second));
  }
}
