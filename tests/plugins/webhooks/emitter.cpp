#include "emitter.h"

#include <patchbay/plugin.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>

#include "support/linked_plugin.h"

using namespace patchbay;

namespace webhooks_test {
namespace {

class Emitter;
std::mutex emitter_mutex;
Emitter* running_emitter = nullptr;  // guarded by emitter_mutex

class Emitter final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "emitter", "version": "0.1.0", "summary": "Events", "license": "Apache-2.0",
          "emits": [{"topic": "call.started", "schema": {}}, {"topic": "call.ended", "schema": {}}],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    set(this);
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    set(nullptr);
    done();
  }
  void emit(const NewEvent& event, std::function<void(bool)> done) {
    post(host(), kMainStrand, [this, event, done = std::move(done)] {
      Transaction tx(host());
      tx.emit(event);
      std::move(tx).commit([done](const Commit& outcome) { done(outcome.ok()); });
    });
  }

 private:
  static void set(Emitter* emitter) {
    const std::lock_guard lock(emitter_mutex);
    running_emitter = emitter;
  }
};

}  // namespace

const pb_entry* emitter() { return &test::LinkedPlugin<Emitter>::entry; }

bool emit(const std::string& topic, const std::string& payload, const std::string& tenant) {
  auto committed = std::make_shared<std::promise<bool>>();  // shared: the commit may come after the wait
  auto result = committed->get_future();
  {
    const std::lock_guard lock(emitter_mutex);
    if (running_emitter == nullptr) return false;
    running_emitter->emit({topic, tenant, "oac-1", "", payload},
                          [committed](bool ok) { committed->set_value(ok); });
  }
  return result.wait_for(std::chrono::minutes(1)) == std::future_status::ready && result.get();
}

}  // namespace webhooks_test
