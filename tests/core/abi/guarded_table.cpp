// What the tables check and report before and after their functions: media loops, handles, the host's
// observer.
#include "abi/guarded_table.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "abi/guarded_table.h"
#include "core/abi/host_harness.h"

using namespace abi_test;

namespace {

// Records what is reported to it.
class Recorder final : public HostObserver {
 public:
  void called_on_media(HostContext&, const char* function) noexcept override {
    all.push_back(std::string("media ") + function);
  }
  void opened(HostContext&, HandleKind kind, uint64_t) noexcept override {
    all.push_back(std::string("opened ") + name_of(kind));
  }
  void closing(HostContext&, HandleKind kind, uint64_t, const char* function) noexcept override {
    all.push_back(std::string(function) + " " + name_of(kind));
  }
  void destroyed(HostContext& context) noexcept override { all.push_back("destroyed " + context.id()); }
  void published(HostContext&, const pb_event& event) noexcept override {
    all.push_back("published " + std::string(from_abi(event.topic)));
  }
  void logged(HostContext&, uint32_t, pb_str, pb_str text, const pb_pair*, uint32_t) noexcept override {
    all.push_back("logged " + std::string(from_abi(text)));
  }
  void port_created(HostContext&, uint64_t, const pb_port& port) noexcept override {
    all.push_back("port " + std::to_string(port.pull_rate_hz));
  }

  std::vector<std::string> all;
};

}  // namespace

TEST_CASE("the observer of a host gets what its plugin opens, closes, logs and publishes") {
  Recorder notes;
  HostHarness harness({}, &notes);
  HostContext* one = &*harness.one;
  const uint64_t tx = store_table().begin(one);
  store_table().discard(one, tx);
  store_table().discard(one, 0);
  pb_json_doc* doc = nullptr;
  CHECK(json_table().parse(one, to_abi("{}"), &doc, nullptr) == PB_OK);
  json_table().free_doc(one, doc);
  CHECK(json_table().parse(one, to_abi("{"), &doc, nullptr) != PB_OK);
  pb_event event{};
  event.size = sizeof event;
  event.topic = to_abi("note.added");
  CHECK(bus_table().publish(one, &event) == PB_OK);
  event.topic = to_abi("core.mine");
  CHECK(bus_table().publish(one, &event) == PB_E_DENIED);
  observe_table().log(one, PB_LOG_INFO, {}, to_abi("hello"), nullptr, 0);
  CHECK(notes.all == std::vector<std::string>{"opened transaction", "discard transaction",
                                              "opened JSON document", "free_doc JSON document",
                                              "published note.added", "logged hello"});
}

TEST_CASE("a function that may wait is reported when a media loop calls it, and runs") {
  Recorder notes;
  HostHarness harness({}, &notes);
  HostContext* one = &*harness.one;
  thread_state.kind = ThreadKind::media;
  const uint64_t tx = store_table().begin(one);
  runtime_table().now(one, PB_CLOCK_WALL);
  store_table().epoch(one);
  thread_state.kind = ThreadKind::other;
  CHECK(tx != 0);
  CHECK(notes.all == std::vector<std::string>{"media begin", "opened transaction"});
  CHECK(harness.log_text().find("a function was called on a media loop") != std::string::npos);
}

TEST_CASE("what a destroyed plugin holds is released and named, but not reported to the observer as closed") {
  Recorder notes;
  HostHarness harness({}, &notes);
  HostContext* one = &*harness.one;
  store_table().begin(one);
  store_table().begin(one);
  runtime_table().strand_create(one, to_abi("late"));
  notes.all.clear();
  CHECK(one->release_all() == "2 transactions, 1 strand");
  CHECK(one->release_all() == "");
  CHECK(notes.all == std::vector<std::string>{"destroyed one"});
}
