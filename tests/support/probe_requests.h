// Requests through the probe, as a client sends them: actual paths, and durable events. Used on the test's
// thread.
#pragma once

#include <patchbay/event.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "support/probe_plugin.h"
#include "support/promise.h"

namespace probe {

struct Call {
  std::string method;
  std::string path;
  std::string body = {};
  patchbay::NameValues query = {};
  std::string tenant = "a.example";
  int64_t limit = 50;
  int64_t offset = 0;
  patchbay::NameValues headers = {};  // names in lower case
};

// Polls for at most a minute until done() is true.
template <class F>
bool eventually(F done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// Sends a request as the admin "tester" of the tenant. Waits until the route exists. Status 599: no route, no
// answer or an error; see the body.
patchbay::http::Response call(const Call& what);

// Emits a durable event; true once it is on disk.
bool emit(const patchbay::NewEvent& event);

// Runs f(host, done) on the probe's strand; returns what done(T) got, or nullopt after a minute.
template <class T, class F>
std::optional<T> ask_host(F f) {
  auto answer = std::make_shared<patchbay::test::Promise<T>>();  // shared: the answer may come after the wait
  run([answer, f](const Host& host) { f(host, [answer](T value) { answer->set(std::move(value)); }); });
  return answer->get();
}

// The first text member `name` in a JSON text, at any depth; "" when there is none.
std::string text_member(const std::string& json, const std::string& name);

}  // namespace probe
