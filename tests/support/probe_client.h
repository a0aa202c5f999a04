// The probe as a client's view of the API: requests by the path as a client writes it, bodies validated by
// the route's schema as rest-api does it, and durable events. For the test's thread.
#pragma once

#include <patchbay/event.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "support/probe.h"
#include "support/promise.h"

namespace probe {

struct Call {
  std::string method;
  std::string path;
  std::string body = {};
  std::string query = "{}";  // JSON
  std::string tenant = "a.example";
  int64_t limit = 50;
  int64_t offset = 0;
  std::string headers = "{}";  // JSON, names in lower case
};

// Looks again and again, for a minute at most, until done() is true.
template <class F>
bool eventually(F done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// By the admin "tester" of the tenant. Waits until there is such a route. Status 599: there is none, no
// answer or a failed one; the body says which.
patchbay::http::Response call(const Call& what);

// True when the durable event is on disk.
bool emit(const patchbay::NewEvent& event);

// Runs f(host, done) on the probe's strand; what done(T) was given, or nothing within a minute.
template <class T, class F>
std::optional<T> ask_host(F f) {
  auto answer = std::make_shared<patchbay::test::Promise<T>>();  // shared: the answer may come after the wait
  run([answer, f](const Host& host) { f(host, [answer](T value) { answer->set(std::move(value)); }); });
  return answer->get();
}

// The first text member `name` in a JSON text, at any depth; "" when there is none.
std::string text_member(const std::string& json, const std::string& name);

}  // namespace probe
