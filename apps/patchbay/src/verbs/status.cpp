// patchbay status: shows the health of a server on one screen, with advice for each problem.
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "admin_client.h"
#include "answer_tables.h"
#include "json/parse.h"
#include "json/writer.h"
#include "server_verb.h"
#include "status/health.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

struct StatusCommand {
  ServerOptions server;
  double interval_sec = 1;
};

struct ServerHealth {
  std::vector<std::vector<std::string>> figures;  // rows of {area, text}
  std::vector<HealthFinding> findings;
  std::string since;                // heading of `past`
  std::vector<HealthFinding> past;  // earlier problems that do not continue
};

Result<std::string> read(AdminClient& client, const char* path) {
  PB_TRY_VALUE(AdminClient::Answer answer, client.request("GET", path));
  if (!answer.ok())
    return {Code::unsupported, std::string("the server has no ") + path + "; is it older than this program?"};
  return std::move(answer.body);
}

// Adds a finding for each plugin that does not run. Returns the row about plugins.
std::vector<std::string> add_plugin_findings(const Node& plugins, std::vector<HealthFinding>& findings) {
  uint32_t running = 0;
  for (uint32_t at = 0; at < plugins.size(); ++at) {
    const Node& plugin = *plugins.element(at);
    const std::string state = member(plugin, "state"), reason = member(plugin, "reason");
    if (state == "running") {
      ++running;
      continue;
    }
    findings.push_back(
        {"plugin " + member(plugin, "id") + " is " + state + (reason.empty() ? "" : ": " + reason),
         "see its lines in the log; `patchbay plugin doctor` checks its file and configuration"});
  }
  return {"plugins", std::to_string(running) + " of " + std::to_string(plugins.size()) + " running"};
}

// Adds a finding for each refused route of a running plugin.
void add_route_findings(const Node& ready, std::vector<HealthFinding>& findings) {
  for (const std::string& route : refused_routes(ready))
    findings.push_back(
        {"a plugin's route was refused: " + route, "its plugin's author has to choose another route"});
}

Result<ServerHealth> read_health(AdminClient& client, double interval_sec) {
  PB_TRY_VALUE(const std::string before, read(client, "/local/metrics"));
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(interval_sec));
  PB_TRY_VALUE(const std::string after, read(client, "/local/metrics"));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  const MetricReadings readings{MetricSamples::parse(before), MetricSamples::parse(after), passed.count()};

  PB_TRY_VALUE(const std::string text, read(client, "/local/plugins"));
  PB_TRY_VALUE(const core::json::Document plugins, core::json::parse(text));
  // Not read(): the status is 503 while a plugin does not run, with the same body.
  PB_TRY_VALUE(const AdminClient::Answer readiness, client.request("GET", "/readyz"));
  ServerHealth health;
  health.figures.push_back(add_plugin_findings(plugins.root(), health.findings));
  if (const auto ready = core::json::parse(readiness.body))
    add_route_findings(ready->root(), health.findings);
  for (auto& row : health_figures(readings)) health.figures.push_back(std::move(row));
  for (HealthFinding& finding : find_problems(readings)) health.findings.push_back(std::move(finding));
  health.since = since_start(readings);
  health.past = find_past(readings);
  return health;
}

void print_screen(const ServerHealth& health) {
  std::fputs(table({"AREA", "NOW"}, health.figures).c_str(), stdout);
  if (health.findings.empty()) std::puts("\nNothing is wrong.");
  for (const HealthFinding& finding : health.findings)
    std::printf("\n! %s\n  %s\n", harmless(finding.problem).c_str(), harmless(finding.advice).c_str());
  if (!health.past.empty()) std::printf("\n%s:\n", health.since.c_str());
  for (const HealthFinding& finding : health.past)
    std::printf("- %s\n  %s\n", harmless(finding.problem).c_str(), harmless(finding.advice).c_str());
}

void write_findings(core::json::Writer& out, const char* name, const std::vector<HealthFinding>& findings) {
  out.key(name).begin_array();
  for (const HealthFinding& finding : findings)
    out.begin_object().member("problem", finding.problem).member("advice", finding.advice).end_object();
  out.end_array();
}

void print_json(const ServerHealth& health) {
  core::json::Writer out;
  out.begin_object().member("healthy", health.findings.empty()).key("figures").begin_object();
  for (const auto& row : health.figures) out.member(row[0], row[1]);
  out.end_object();
  write_findings(out, "problems", health.findings);
  write_findings(out, "since_start", health.past);
  out.end_object();
  std::printf("%s\n", out.text().c_str());
}

int run_status(const StatusCommand& command) {
  auto client = AdminClient::connect(command.server);
  if (!client) return report(client.error());
  const auto health = read_health(*client, command.interval_sec);
  if (!health) return report(health.error());
  if (command.server.json)
    print_json(*health);
  else
    print_screen(*health);
  return health->findings.empty() ? kDone : kRefused;
}

}  // namespace

void add_status(Verb app, int& exit_code) {
  Verb verb = app.add_verb("status", "The server's health on one screen, and what to do");
  const auto command = std::make_shared<StatusCommand>();
  verb.add_option("--interval", command->interval_sec, "Seconds over which rates are measured")
      .range(0.1, 600.0)
      .type_name("SEC");
  add_server_options(verb, command->server);
  verb.footer(
      "Exit code 0: no problem; 1: at least one.\n\n"
      "A counter is a problem while it grows, during --interval. Much is counted only when a call ends (lost "
      "packets,\n"
      "failed trunks), so totals since the start of the server are listed below; they are no problem by "
      "themselves.\n"
      "`--interval 60` watches for a minute.\n\n"
      "Examples:\n  patchbay status\n  patchbay status --interval 10\n  patchbay status --json");
  verb.callback([command, &exit_code] { exit_code = run_status(*command); });
}

}  // namespace patchbay::app
