// A server with the plugin, and the probe; transcripts are saved as ai-voice saves them.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/probe_requests.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace transcripts_test {

inline constexpr char kConfig[] =
    "plugins: {probe: {}, transcripts: {}}\n"
    "tenants: {a.example: {primary: true}, b.example: {}}\n";

// A transcript's JSON; `turns` are the elements of its array.
inline std::string document(
    const std::string& call_id, const std::string& name = "Ann",
    const std::string& turns = R"({"speaker":"AI","text":"Hello","ts":"2026-11-20T07:00:02.000Z"})") {
  return R"({"callId":")" + call_id +
         R"(","callerSource":"outbound-ai","tenant":"a.example","requestedBy":"joe-the-admin","phone":"+4930123456",)"
         R"("displayName":")" +
         name +
         R"(","email":"x@example.com","voice":"Aoede","language":"en-US","model":"m-model","trunkId":"t-trunk",)"
         R"("startedUtc":"2026-11-20T07:00:01.000Z","answeredUtc":"2026-11-20T07:00:01.000Z",)"
         R"("endedUtc":"2026-11-20T07:02:06.000Z","durationSec":125,"inputTurns":1,"outputTurns":1,"tokensTotal":30,)"
         R"("tokensPrompt":20,"answered":true,"outcome":"far-hangup","errorDetail":"","turns":[)" +
         turns + "]}";
}

// Saves and commits. Returns the error, or "".
inline std::string save(const std::string& text, const std::string& call_id, int64_t attempt = 1,
                        const std::string& tenant = "a.example") {
  using namespace patchbay;
  const auto result = probe::ask_host<std::string>([=](const Host& host, auto done) {
    auto tx = std::make_shared<Transaction>(host);
    transcripts::Save request;
    request.tx = tx->handle();
    request.document = text;
    request.call_id = call_id;
    request.attempt = attempt;
    request.tenant = tenant;
    auto lease =
        std::make_shared<Lease<transcripts::Transcripts>>(Lease<transcripts::Transcripts>::query(host));
    lease->call(
        transcripts::Transcripts::save, request, [tx, lease, done](const Result<transcripts::Saved>& saved) {
          if (!saved) return done(saved.error().text);
          std::move(*tx).commit(
              [done](const Commit& outcome) { done(outcome ? std::string() : outcome.error().text); });
        });
  });
  return result.value_or("no answer");
}

inline patchbay::http::Response ask(const std::string& method, const std::string& path,
                                    const std::string& body = {}, const patchbay::NameValues& query = {},
                                    const std::string& tenant = "a.example") {
  probe::Call request{method, path, body};
  request.query = query;
  request.tenant = tenant;
  return probe::call(request);
}

// Records the events of a topic; keep it alive, and close() it before the server ends.
class EventRecorder {
 public:
  explicit EventRecorder(const std::string& topic) {
    using Held = std::shared_ptr<patchbay::Subscription>;
    auto list = list_;
    held_ = probe::ask_host<Held>([list, topic](const patchbay::Host& host, auto done) {
              auto opened = patchbay::Subscription::open(host, topic, [list](const patchbay::Event& event) {
                const std::lock_guard lock(list->mutex);
                list->all.push_back(std::string(event.topic()) + " " + std::string(event.tenant()) + " " +
                                    std::string(event.payload()));
              });
              done(std::make_shared<patchbay::Subscription>(*std::move(opened)));
            }).value_or(nullptr);
  }
  ~EventRecorder() {
    probe::ask_host<bool>([held = &held_](const patchbay::Host&, auto done) {
      held->reset();
      done(true);
    });
  }
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  std::vector<std::string> all() const {
    const std::lock_guard lock(list_->mutex);
    return list_->all;
  }
  // Waits for that many events.
  bool wait_for(size_t count) const {
    return probe::eventually([&] { return all().size() >= count; });
  }

 private:
  struct List {
    std::mutex mutex;
    std::vector<std::string> all;  // "topic tenant payload"
  };
  std::shared_ptr<List> list_ = std::make_shared<List>();
  std::shared_ptr<patchbay::Subscription> held_;
};

}  // namespace transcripts_test
