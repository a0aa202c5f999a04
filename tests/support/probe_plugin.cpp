#include "support/probe_plugin.h"

#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/testing/audit_event.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "support/linked_plugin.h"

namespace probe {
namespace {

using namespace patchbay;

class Probe;
std::mutex mutex;
std::condition_variable changed;
Probe* current = nullptr;  // guarded by mutex

class Probe : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "probe", "version": "0.1.0", "summary": "The test's own plugin", "license": "Apache-2.0",
          "provides": ["patchbay.http/1", "patchbay.telephony/1", "patchbay.audit/1"], "optional": ["patchbay.auth/1"],
          "emits": [{"topic": "call.started", "schema": {}}, {"topic": "call.ended", "schema": {}},
                    {"topic": "transcript.saved", "schema": {}}, {"topic": "room.peer.joined", "schema": {}},
                    {"topic": "probe.noted", "schema": {"type": "object"}}, "probe.internal"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  ~Probe() override { set_current(nullptr); }

  Status start(const Config&) override {
    parts_ = std::make_unique<Parts>(host());
    parts_->http.on(http::Http::add_route, [this](const http::Route& route) -> Result<http::Registered> {
      const std::lock_guard lock(mutex);
      // A plugin that restarts adds its routes again.
      routes_.erase(std::remove_if(routes_.begin(), routes_.end(),
                                   [&](const Entry& entry) {
                                     return entry.is(route.method, route.path, route.discriminator);
                                   }),
                    routes_.end());
      routes_.push_back({route, Lease<http::Handler>::open(host(), route.handler)});
      changed.notify_all();
      return http::Registered{static_cast<int64_t>(routes_.size())};
    });
    parts_->telephony.on(telephony::Telephony::add_gate,
                         [this](const telephony::AddGate& gate) -> Result<Empty> {
                           const std::lock_guard lock(mutex);
                           gates_.push_back(Lease<telephony::DialGate>::open(host(), gate.gate));
                           changed.notify_all();
                           return Empty{};
                         });
    PB_TRY(parts_->http.publish());
    PB_TRY(provide_audit());
    if (plays_telephony()) PB_TRY(parts_->telephony.publish());
    set_current(this);
    return {};
  }
  void stop(Done done) override {
    set_current(nullptr);
    routes_.clear();
    gates_.clear();
    parts_.reset();
    done();
  }
  Status check_config(const Config&) override { return {}; }

  struct Entry {
    http::Route route;
    Lease<http::Handler> handler;
    bool is(const std::string& method, const std::string& path, const std::string& discriminator) const {
      return route.method == method && route.path == path && route.discriminator == discriminator;
    }
  };
  struct Parts {
    explicit Parts(const Host& host) : http(host), telephony(host), audit(host), auth(host) {}
    Provision<http::Http> http;
    Provision<telephony::Telephony> telephony;
    Provision<audit::Audit> audit;
    Service<auth::Auth> auth;
    Subscription audited;
  };
  const Entry* find(const std::string& method, const std::string& path,
                    const std::string& discriminator) const {
    for (const Entry& entry : routes_)
      if (entry.is(method, path, discriminator)) return &entry;
    return nullptr;
  }

  std::unique_ptr<Parts> parts_;
  std::vector<Entry> routes_;                      // guarded by mutex
  std::vector<Lease<telephony::DialGate>> gates_;  // guarded by mutex
  std::vector<audit::Record> audited_;             // guarded by mutex

 private:
  Status provide_audit() {
    parts_->audit.on(audit::Audit::record, [this](const audit::Record& record) -> Result<Empty> {
      PB_TRY(testing::detail::add_audit_event(host(), record));
      return Empty{};
    });
    PB_TRY_VALUE(parts_->audited,
                 Subscription::open(host(), testing::kAuditTopic, [this](const Event& event) {
                   NewEvent copy{{},
                                 std::string(event.tenant()),
                                 std::string(event.subject()),
                                 std::string(event.correlation()),
                                 std::string(event.payload())};
                   const std::lock_guard lock(mutex);
                   audited_.push_back(testing::detail::audit_record(host(), copy));
                   changed.notify_all();
                 }));
    return parts_->audit.publish();
  }
  virtual bool plays_telephony() const { return true; }
  static void set_current(Probe* probe) {
    const std::lock_guard lock(mutex);
    current = probe;
    changed.notify_all();
  }
};

class HttpProbe final : public Probe {
 public:
  static constexpr char manifest[] =
      R"({"id": "probe", "version": "0.1.0", "provides": ["patchbay.http/1", "patchbay.audit/1"],
          "optional": ["patchbay.auth/1"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";

 private:
  bool plays_telephony() const override { return false; }
};

// Waits until ready(probe), then runs f(probe) on its strand.
template <class Ready, class F>
bool with(Ready ready, F f) {
  std::unique_lock lock(mutex);
  if (!changed.wait_for(lock, std::chrono::seconds(60),
                        [&] { return current != nullptr && ready(*current); }))
    return false;
  post(current->host(), kMainStrand, [f = std::move(f)]() mutable {
    Probe* probe = nullptr;
    {
      const std::lock_guard again(mutex);
      probe = current;
    }
    if (probe != nullptr) f(*probe);
  });
  return true;
}

template <class T>
std::future<Result<T>> failed(const char* why) {
  std::promise<Result<T>> promise;
  promise.set_value(Result<T>(Code::timeout, why));
  return promise.get_future();
}

// Answers by itself when it is dropped, as calls are whose route goes away with its plugin.
class Answer {
 public:
  ~Answer() {
    if (!given_) give(Result<http::Response>(Code::gone, "the route went away"));
  }
  std::future<Result<http::Response>> future() { return promise_.get_future(); }
  void give(Result<http::Response> response) {
    given_ = true;
    promise_.set_value(std::move(response));
  }

 private:
  std::promise<Result<http::Response>> promise_;
  bool given_ = false;
};

}  // namespace

const pb_entry* entry() { return &test::LinkedPlugin<Probe>::entry; }
const pb_entry* http_entry() { return &test::LinkedPlugin<HttpProbe>::entry; }

std::future<Result<http::Response>> begin(const std::string& method, const std::string& path,
                                          http::Request request, const std::string& discriminator) {
  auto answer = std::make_shared<Answer>();
  auto future = answer->future();
  request.method = method;
  if (request.path.empty()) request.path = path;
  const bool found = with(
      [&](const Probe& probe) { return probe.find(method, path, discriminator) != nullptr; },
      [=](Probe& probe) {
        const Probe::Entry* route = probe.find(method, path, discriminator);
        if (route == nullptr) return;
        route->handler.call(http::Handler::handle, request,
                            [answer](Result<http::Response> response) { answer->give(std::move(response)); });
      });
  return found ? std::move(future) : failed<http::Response>("no such route");
}

Result<http::Response> ask(const std::string& method, const std::string& path, http::Request request,
                           const std::string& discriminator) {
  return wait(begin(method, path, std::move(request), discriminator));
}

std::vector<http::Route> routes() {
  const std::lock_guard lock(mutex);
  std::vector<http::Route> all;
  if (current != nullptr)
    for (const auto& entry : current->routes_) all.push_back(entry.route);
  return all;
}

std::vector<audit::Record> audited(size_t at_least) {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::seconds(60),
                   [&] { return current != nullptr && current->audited_.size() >= at_least; });
  return current != nullptr ? current->audited_ : std::vector<audit::Record>();
}

std::string audit_text(size_t at_least) {
  std::string all;
  for (const audit::Record& record : audited(at_least)) all += testing::audit_line(record);
  return all;
}

std::future<Result<auth::Principal>> begin_verify(const std::string& bearer) {
  auto promise = std::make_shared<std::promise<Result<auth::Principal>>>();
  auto future = promise->get_future();
  const bool there = with([](const Probe&) { return true; },
                          [=](Probe& probe) {
                            probe.parts_->auth.call(auth::Auth::verify, {bearer, "192.0.2.1"},
                                                    [promise](Result<auth::Principal> principal) {
                                                      promise->set_value(std::move(principal));
                                                    });
                          });
  return there ? std::move(future) : failed<auth::Principal>("no probe");
}

Result<auth::Principal> verify(const std::string& bearer) { return wait(begin_verify(bearer)); }

Result<telephony::Verdict> dial(const std::string& tenant, const std::string& number) {
  auto promise = std::make_shared<std::promise<Result<telephony::Verdict>>>();
  auto future = promise->get_future();
  const bool there =
      with([](const Probe& probe) { return !probe.gates_.empty(); },
           [=](Probe& probe) {
             probe.gates_.front().call(
                 telephony::DialGate::check, {tenant, number, "oac-test", ""},
                 [promise](Result<telephony::Verdict> verdict) { promise->set_value(std::move(verdict)); });
           });
  if (!there) return {Code::timeout, "no gate"};
  return wait(std::move(future));
}

void run(std::function<void(const Host&)> f) {
  with([](const Probe&) { return true; }, [f = std::move(f)](Probe& probe) { f(probe.host()); });
}

}  // namespace probe
