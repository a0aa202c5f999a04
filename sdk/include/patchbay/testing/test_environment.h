// TestEnvironment: a host without a plugin: clocks, events, store, records, and a strand of the test.
// fake_host.h adds the plugin.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../bus.h"
#include "../host.h"
#include "../service.h"
#include "../strand.h"
#include "answer.h"
#include "audit_event.h"
#include "recorded.h"
#include "rows.h"
#include "table.h"

namespace patchbay::testing {

struct Options {
  bool real_time = false;   // clocks, timers and media loops run in real time
  bool echo = false;        // log lines also go to standard error
  int64_t wall_ms = 0;      // initial time of the wall clock; 0: 2023-11-14T22:13:20Z
  int64_t wait_ms = 10000;  // maximum wait of any function, in real time
  int64_t stall_ms = 5000;  // a task that occupies a strand for longer is a problem
  std::string folder = {};  // for the store and plugins' files; "": a temporary one
  std::string log_level = "debug";
  // URL of a PostgreSQL database, for which libpq is needed; "": SQLite in the folder. With a temporary
  // folder the tables are in a new schema, dropped with the host; otherwise in the URL's search_path.
  std::string store = {};
};

// The error's text, or "" for success: CHECK(why(host.start()) == "").
template <class T>
std::string why(const Result<T>& result) {
  return result.ok() ? std::string() : result.error().text;
}

// Call every function on the test's thread. None waits longer than Options::wait_ms.
class TestEnvironment {
 public:
  explicit TestEnvironment(const Options& options = {}) : wait_ms_(options.wait_ms) {
    const pb_testing_options raw{
        sizeof raw,
        (options.real_time ? PB_TESTING_REAL_TIME : 0u) | (options.echo ? PB_TESTING_ECHO : 0u),
        options.wall_ms,
        options.wait_ms,
        options.stall_ms,
        to_abi(options.folder),
        to_abi(options.log_level),
        to_abi(options.store)};
    pb_err err = empty_error();
    raw_ = patchbay_testing_v1.create(&raw, &err);
    if (raw_ == nullptr) fail(err.text);
    auto opened = Host::open(patchbay_testing_v1.client(raw_));
    if (!opened) fail(opened.error().text.c_str());
    host_ = std::make_unique<const Host>(*opened);
  }
  TestEnvironment(const TestEnvironment&) = delete;
  TestEnvironment& operator=(const TestEnvironment&) = delete;
  ~TestEnvironment() { close(); }

  // The host for the test, which acts as a plugin with the id "test"; for all of the SDK that takes a Host.
  const Host& host() const noexcept { return *host_; }
  pb_testing_host* raw() const noexcept { return raw_; }
  int64_t wait_ms() const noexcept { return wait_ms_; }

  // Runs f() on the test's strand, waits for it and returns its result. Create and use Provision, Service,
  // Subscription and the like there.
  template <class F>
  auto run(F f) const -> decltype(f()) {
    using T = decltype(f());
    if constexpr (std::is_void_v<T>) {
      run_and_wait([&] {
        f();
        return true;
      });
    } else {
      return run_and_wait(std::move(f));
    }
  }

  // Creates an object on the test's strand; it is destroyed there with the host: `make<Timer>(host.host())`.
  template <class T, class... A>
  T& make(A&&... arguments) {
    return *run([&] {
      auto made = std::make_shared<T>(std::forward<A>(arguments)...);
      kept_.push_back(made);
      return made.get();
    });
  }

  // Clocks. They advance only by these calls, unless Options::real_time.
  Status settle() const {
    pb_err err = empty_error();
    return read_status(patchbay_testing_v1.settle(raw_, &err), &err);
  }
  Status advance_ms(int64_t ms) const {
    pb_err err = empty_error();
    return read_status(patchbay_testing_v1.advance(raw_, ms, &err), &err);
  }
  Status set_wall_ms(int64_t wall_ms) const {
    pb_err err = empty_error();
    return read_status(patchbay_testing_v1.set_wall(raw_, wall_ms, &err), &err);
  }
  int64_t wall_ms() const noexcept { return host_->wall_ms(); }

  // Events.
  void publish(const NewEvent& event) const {
    patchbay::publish(*host_, event);
    static_cast<void>(settle());
  }
  // The events that plugins published and commits emitted since the last call; for hosts in real time.
  std::vector<RecordedEvent> new_events() {
    std::vector<RecordedEvent> all;
    read_events_ = patchbay_testing_v1.events(
        raw_, read_events_, &detail::collect<RecordedEvent, pb_recorded_event, &detail::event_of>, &all);
    all.erase(
        std::remove_if(all.begin(), all.end(), [](const RecordedEvent& event) { return is_of_test(event); }),
        all.end());
    return all;
  }
  // All events that plugins published and commits emitted, in order; only those of `topic`, if given.
  std::vector<RecordedEvent> events(std::string_view topic = {}) const {
    std::vector<RecordedEvent> all;
    for (RecordedEvent& event :
         list<RecordedEvent, pb_recorded_event, &detail::event_of>(patchbay_testing_v1.events))
      if (topic.empty() ? !is_of_test(event) : event.plugin != "test" && event.topic == topic)
        all.push_back(std::move(event));
    return all;
  }

  // Logs, with secrets redacted, and metrics.
  std::vector<RecordedLine> lines() const {
    return list<RecordedLine, pb_recorded_line, &detail::line_of>(patchbay_testing_v1.lines);
  }
  bool logged(std::string_view text) const {
    for (const RecordedLine& line : lines())
      if (line.text == text) return true;
    return false;
  }
  std::string metrics() const { return host_->report("metrics"); }
  // The value of a series, named as Prometheus does: `patchbay_hello_greetings`, `name{label="value"}`; -1:
  // none.
  double metric(std::string_view series) const {
    const std::string text = "\n" + metrics();
    const std::string wanted = "\n" + std::string(series) + " ";
    const auto at = text.find(wanted);
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + wanted.size(), nullptr);
  }

  std::vector<RecordedPort> ports() const {
    return list<RecordedPort, pb_recorded_port, &detail::port_of>(patchbay_testing_v1.ports);
  }

  // Broken rules of the boundary. Leaked handles are reported when the plugin is destroyed.
  std::vector<Problem> problems() const {
    return list<Problem, pb_recorded_problem, &detail::problem_of>(patchbay_testing_v1.problems);
  }
  // The same as text, one line each: CHECK(host.problem_text() == "").
  std::string problem_text() const {
    std::string all;
    for (const Problem& problem : problems())
      all += problem.plugin + ": " + problem.name + ": " + problem.text + "\n";
    return all;
  }

  // Runs one statement on the store's database, on any table, to inspect or seed it.
  Result<OwnedRows> sql(std::string_view statement, const Values& values = {}) const {
    static_cast<void>(settle());
    const auto raw = patchbay::detail::to_abi_values(values);
    Result<OwnedRows> answer(Code::failed, "no answer");
    patchbay_testing_v1.sql(
        raw_, to_abi(statement), raw.data(), static_cast<uint32_t>(raw.size()),
        [](void* user, int32_t status, const pb_rows* rows, const pb_err* err) noexcept {
          auto& result = *static_cast<Result<OwnedRows>*>(user);
          result = status == PB_OK ? Result<OwnedRows>(OwnedRows(rows))
                                   : Result<OwnedRows>(read_error(status, err));
        },
        &answer);
    return answer;
  }

  // Provides interface I as long as the host lives: fill(provision) sets its handlers.
  template <class I, class Fill>
  Status provide(Fill fill) {
    auto& provision = make<Provision<I>>(*host_);
    return run([&] {
      fill(provision);
      return provision.publish();
    });
  }
  // Calls the public provider of interface I without waiting, so that clocks can be advanced meanwhile.
  template <class I, class M>
  Answer<typename M::Reply> begin(M method, typename M::Request request) const {
    return call_lease<I>(method, std::move(request), [this] { return Lease<I>::query(*host_); });
  }
  // The same for a private instance.
  template <class I, class M>
  Answer<typename M::Reply> begin(Handle instance, M method, typename M::Request request) const {
    return call_lease<I>(method, std::move(request),
                         [this, instance] { return Lease<I>::open(*host_, instance); });
  }
  template <class I, class M>
  Result<typename M::Reply> call(M method, typename M::Request request) const {
    return begin<I>(method, std::move(request)).get();
  }
  template <class I, class M>
  Result<typename M::Reply> call(Handle instance, M method, typename M::Request request) const {
    return begin<I>(instance, method, std::move(request)).get();
  }

  // Runs f() on the media loop's thread, between two ticks, and waits.
  template <class F>
  void on_media(F f) const {
    patchbay_testing_v1.on_media(
        raw_, [](void* user) noexcept { (*static_cast<F*>(user))(); }, &f);
  }

 protected:
  // Destroys the test's objects, then the plugins, then the host.
  void close() {
    if (raw_ == nullptr) return;
    run([&] {
      while (!kept_.empty()) kept_.pop_back();
    });
    static_cast<void>(settle());
    patchbay_testing_v1.destroy(std::exchange(raw_, nullptr));
  }

 private:
  // Whether the test published it, or FakeAudit added it to a transaction.
  static bool is_of_test(const RecordedEvent& event) {
    return event.plugin == "test" || event.topic == kAuditTopic;
  }
  [[noreturn]] static void fail(const char* why) {
    std::fprintf(stderr, "the fake host: %s\n", why);
    std::abort();
  }

  // Both sides share the result, because the strand may set it after the test has timed out.
  template <class F>
  auto run_and_wait(F f) const {
    using T = decltype(f());
    const Answer<T> answer(wait_ms_);
    post(*host_, kMainStrand, [answer, f = std::move(f)]() mutable { answer.give(Result<T>(f())); });
    auto result = answer.get();
    // Aborts, because the test cannot continue: its code blocks the strand.
    if (!result) fail("the test's strand is blocked by a task that does not return");
    return *std::move(result);
  }

  template <class I, class M, class Open>
  Answer<typename M::Reply> call_lease(M method, typename M::Request request, Open open) const {
    const Answer<typename M::Reply> answer(wait_ms_);
    post(*host_, kMainStrand, [answer, method, request = std::move(request), open]() mutable {
      // Held by the callback until it has run, because replies are not delivered without the lease.
      auto lease = std::make_shared<Lease<I>>(open());
      lease->call(method, request,
                  [answer, lease](Result<typename M::Reply> result) { answer.give(std::move(result)); });
    });
    return answer;
  }

  template <class T, class Raw, T (*convert)(const Raw&), class List>
  std::vector<T> list(List read) const {
    static_cast<void>(settle());
    std::vector<T> all;
    read(raw_, 0, &detail::collect<T, Raw, convert>, &all);
    return all;
  }

  pb_testing_host* raw_ = nullptr;  // owned
  std::unique_ptr<const Host> host_;
  std::vector<std::shared_ptr<void>> kept_;  // used on the test's strand only
  int64_t wait_ms_;
  uint64_t read_events_ = 0;
};

}  // namespace patchbay::testing
