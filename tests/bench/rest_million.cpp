// What requests about calls cost with a million calls stored, beside a thousand: the first page of the list,
// the following ones, a page of one status, and a new call.
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/pairs.h"
#include "bench/rest/http_load.h"
#include "bench/rest/servers.h"
#include "bench/rest/stored_calls.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

constexpr int64_t kFew = 1'000;
constexpr int64_t kMany = 1'000'000;
constexpr int kPages = 100;  // spread over the whole list; more than the server keeps
constexpr int kConnections = 8;

template <class T>
T need_value(Result<T> result) {
  if (result) return *std::move(result);
  std::printf("%s\n", result.error().text.c_str());
  std::exit(1);
}

void run_on_core(int core) {
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// A server with that many calls, and its client.
struct FilledServer {
  FilledServer(const std::string& folder, int64_t calls) {
    run_on_core(0);
    {
      const HttpServerProcess first = need_value(start_patchbay(folder));
      need_value(create_calls(first.port, need_value(sign_in(first.port)), 1));
    }  // stopped, because only the server may write while it runs
    need_value(add_stored_calls(folder + "/data/patchbay.db", calls));
    process.emplace(need_value(start_patchbay(folder)));
    run_on_core(1);
    bearer = need_value(sign_in(process->port));
    need_value(create_calls(process->port, bearer, 1));  // waits until all plugins have started
  }

  HttpLoad load(std::vector<std::string> requests) const {
    HttpLoad made{process->port, process->child.pid(), std::move(requests)};
    made.connections = kConnections;
    return made;
  }
  HttpLoad get(const std::string& target) const { return load({request_text("GET", target, bearer, "")}); }
  HttpLoad create() const { return load({request_text("POST", "/api.ashx/v1/calls", bearer, call_body())}); }
  // `next` of pages that are spread over the list.
  HttpLoad next_pages(int64_t calls) const {
    std::vector<std::string> requests;
    for (int page = 0; page < kPages; ++page) {
      const std::string target =
          "/api.ashx/v1/calls?limit=10&offset=" + std::to_string(calls / (kPages + 1) * page);
      const std::string body = need_value(ask_once(process->port, request_text("GET", target, bearer, "")));
      const std::string name = "\"next\":\"";
      const size_t begin = body.rfind(name) + name.size();
      const std::string next = body.substr(begin, body.find('"', begin) - begin);
      requests.push_back(request_text("GET", next, bearer, ""));
    }
    return load(std::move(requests));
  }

  std::optional<HttpServerProcess> process;
  std::string bearer;
};

Side<std::function<double()>> side(const char* name, const HttpLoad& load) {
  return {name, [load] { return need_value(run_load(load)).cpu_us; }};
}

}  // namespace

int main() {
  const test::TempFolder small, large;
  const FilledServer few(small.path(), kFew);
  std::printf("adding %lld calls\n", static_cast<long long>(kMany));
  const FilledServer many(large.path(), kMany);
  const auto compare = [](const char* what, const HttpLoad& with_few, const HttpLoad& with_many) {
    run_rounds(what, "us of the server's processor per request",
               {side("with 1,000 calls", with_few), side("with 1,000,000 calls", with_many)});
  };
  const std::string status = "/api.ashx/v1/calls?limit=50&status=ended-success,cancelled";
  compare("first page of 50, kept", few.get(kListTarget), many.get(kListTarget));
  compare("next, pages of 10", few.next_pages(kFew), many.next_pages(kMany));
  compare("page of two statuses, kept", few.get(status), many.get(status));
  compare("new call", few.create(), many.create());
}
