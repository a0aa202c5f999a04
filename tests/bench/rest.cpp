// The cost of a REST request: an authenticated list of 50 calls, and a new call, with the store on SQLite and
// on PostgreSQL, beside nginx and bare Pistache that serve the list's body.
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "bench/pairs.h"
#include "bench/rest/http_load.h"
#include "bench/rest/servers.h"
#include "support/postgres_server.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

constexpr int kStoredCalls = 400;
constexpr int kConnections = 8;  // of a saturated server
constexpr double kRate = 300;    // of a paced one

// Keeps server and load apart. No-op on a single core.
void pin_to(int core) {
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

template <class T>
T need(Result<T> result) {
  if (result) return *std::move(result);
  std::printf("%s\n", result.error().text.c_str());
  std::exit(1);
}

struct Seen {
  std::vector<double> latencies_us, switches;
};

double at(std::vector<double> sorted, double share) {
  std::sort(sorted.begin(), sorted.end());
  return sorted[size_t(double(sorted.size() - 1) * share)];
}

}  // namespace

int main() {
  const test::TempFolder ours, ours_too, theirs;
  const auto database = need(test::Postgres::start());
  pin_to(0);
  const HttpServerProcess patchbay = need(start_patchbay(ours.path()));
  const HttpServerProcess clustered = need(start_patchbay(ours_too.path(), database->url()));
  const HttpServerProcess nginx = need(start_nginx(theirs.path()));
  const HttpServerProcess pistache = need(start_pistache(theirs.path()));
  pin_to(1);
  const std::string bearer = need(sign_in(patchbay.port)), bearer_too = need(sign_in(clustered.port));
  need(create_calls(clustered.port, bearer_too, kStoredCalls));
  const std::string list = need(create_calls(patchbay.port, bearer, kStoredCalls));
  std::ofstream(theirs.path() + "/list.json") << list;
  std::printf("%zu octets in a list\n", list.size());

  HttpLoad file{nginx.port, nginx.child.pid(), {request_text("GET", "/list.json", "", "")}};
  file.min_body_octets = list.size();
  HttpLoad bare = file;
  bare.port = pistache.port;
  bare.server = pistache.child.pid();
  HttpLoad calls{patchbay.port, patchbay.child.pid(), {request_text("GET", kListTarget, bearer, "")}};
  calls.min_body_octets = list.size() - 1024;
  HttpLoad plain = calls;
  plain.requests = {request_text("GET", kListTarget, bearer, "", false)};
  HttpLoad pages = calls;
  for (int offset = 0; offset < kStoredCalls - 50; ++offset)  // more than the server keeps
    pages.requests.push_back(
        request_text("GET", kListTarget + ("&offset=" + std::to_string(offset)), bearer, ""));
  HttpLoad create = calls;
  create.requests = {request_text("POST", "/api.ashx/v1/calls", bearer, call_body())};
  create.min_body_octets = 0;

  HttpLoad calls_too = calls, create_too = create;
  calls_too.port = create_too.port = clustered.port;
  calls_too.server = create_too.server = clustered.child.pid();
  calls_too.requests = {request_text("GET", kListTarget, bearer_too, "")};
  create_too.requests = {request_text("POST", "/api.ashx/v1/calls", bearer_too, call_body())};

  std::map<std::string, Seen> seen;
  const auto side = [&seen](const std::string& name, const HttpLoad& load) {
    return Side<std::function<double()>>{
        name, [&seen, name, load] {
          const HttpCost cost = need(run_load(load));
          Seen& all = seen[name];
          all.switches.push_back(cost.switches);
          all.latencies_us.insert(all.latencies_us.end(), cost.latencies_us.begin(), cost.latencies_us.end());
          return cost.cpu_us;
        }};
  };
  const auto compare = [&](const std::string& how, const auto& as) {
    run_rounds(how, "us of the server's processor per request",
               {side("nginx, file, " + how, as(file)), side("bare Pistache, " + how, as(bare)),
                side("patchbay, list, " + how, as(calls)),
                side("the same without keep-alive header, " + how, as(plain)),
                side("patchbay, list, each page new, " + how, as(pages)),
                side("patchbay, new call, " + how, as(create)),
                side("PostgreSQL: patchbay, list, " + how, as(calls_too)),
                side("PostgreSQL: patchbay, new call, " + how, as(create_too))});
  };
  compare("saturated", [](HttpLoad load) {
    load.connections = kConnections;
    return load;
  });
  compare("300/s", [](HttpLoad load) {
    load.rate = kRate;
    return load;
  });
  std::printf("%-58s %10s %10s %10s\n", "", "p50 us", "p99 us", "switches");
  for (const auto& [name, all] : seen)
    std::printf("%-58s %10.0f %10.0f %10.2f\n", name.c_str(), at(all.latencies_us, 0.5),
                at(all.latencies_us, 0.99), at(all.switches, 0.5));
}
