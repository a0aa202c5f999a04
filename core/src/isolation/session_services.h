// The services table of one child, as it uses it: what it provides, whom it calls, what it watches.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "isolation/held.h"
#include "isolation/link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionServices {
 public:
  static constexpr size_t kMostLeases = 65536;
  static constexpr size_t kMostCalls = 16384;  // that the child waits for
  static constexpr size_t kMostDescribed = 1024;

  SessionServices(std::shared_ptr<Link> link, HeldThings& held) : link_(std::move(link)), held_(held) {}

  // Frames; each is false when the frame made no sense.
  bool provide(Decoder& in);
  bool lease(Kind kind, Decoder& in);
  bool unlease(Decoder& in);
  bool watch(Decoder& in);
  bool watch_end(Decoder& in);
  bool describe(Decoder& in);
  bool call(Decoder& in);
  bool reply(Decoder& in);

  // The child has ended: who waits for it gets "gone". Before its instances are closed.
  void end();

 private:
  class Provided;
  class Watched;
  class EndWatched;
  struct Waiting {
    pb_completion* completion;
    const pb_shape* reply;
  };
  struct Outgoing {
    std::shared_ptr<Link> link;
    std::shared_ptr<size_t> under_way;
    uint64_t call;
    const pb_shape* reply;
  };
  static int32_t run(void* self, uint32_t slot, const pb_message* request, pb_completion* completion,
                     pb_err* err) noexcept;
  static void answered(void* user, int32_t status, const pb_message* message, const pb_err* err) noexcept;

  // shared with callbacks that may outlive the session
  const std::shared_ptr<Link> link_;
  const std::shared_ptr<size_t> under_way_ = std::make_shared<size_t>(0);
  // borrowed
  HeldThings& held_;
  // state
  std::map<uint64_t, const pb_interface*> described_;
  std::set<uint64_t> leases_;
  std::map<uint64_t, Waiting> calls_;  // of others to the child
  uint64_t last_call_ = 0;
};

}  // namespace patchbay::core::isolation
