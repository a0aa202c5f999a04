#include "event_recorder.h"

#include <patchbay/bus.h>
#include <patchbay/plugin.h>

#include <mutex>
#include <optional>
#include <utility>

#include "support/linked_plugin.h"

namespace patchbay::test {
namespace {

std::mutex mutex;
std::vector<std::pair<std::string, ObservedEvent>> heard;  // by subject; guarded by mutex

class Recorder final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "recorder", "version": "0.1.0", "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    PB_TRY_VALUE(subscription_, Subscription::open(host(), "*", [](const Event& event) {
                   const std::lock_guard lock(mutex);
                   heard.emplace_back(event.subject(), ObservedEvent{event.id(), std::string(event.topic()),
                                                                     std::string(event.payload())});
                 }));
    return {};
  }
  void stop(Done done) override {
    subscription_.reset();
    done();
  }
  Status check_config(const Config&) override { return {}; }

 private:
  std::optional<Subscription> subscription_;
};

}  // namespace

const pb_entry* recorder_entry() { return &LinkedPlugin<Recorder>::entry; }

void clear_events() {
  const std::lock_guard lock(mutex);
  heard.clear();
}

std::vector<ObservedEvent> events_of(const std::string& subject) {
  const std::lock_guard lock(mutex);
  std::vector<ObservedEvent> list;
  for (const auto& [about, observed] : heard)
    if (about == subject) list.push_back(observed);
  return list;
}

}  // namespace patchbay::test
