// ChildHost: the host as the one plugin of this process sees it. Strands, timers, clocks, workers, media
// loops and JSON are the core's own parts, living here; bus, services, ports and logs lead to the parent over
// the channel.
//
// Handles: instances, leases and ports have the parent's numbers, so that those inside messages mean the same
// in both processes. Subscriptions and watches have numbers of this side, as only this plugin ever names
// them.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "abi/host_context.h"
#include "channel.h"
#include "message_wire.h"
#include "runtime/registration.h"

namespace patchbay::isolated {

class ChildPort;

// What stands behind the kind of a frame.
inline std::string body(const Encoder& out) { return out.frame().substr(sizeof(uint32_t)); }

// What the parent may call back about, by tag: runs on its strand unless closed.
class Listening : public core::Registration {
 public:
  using Registration::Registration;
  // [any] A frame for it, read behind its kind and tag.
  void take(std::string frame);

 protected:
  virtual void run(Decoder& in) = 0;
  virtual void refuse(Decoder&) {}  // closed meanwhile
};

class ChildHost {
 public:
  ChildHost(int fd, core::HostParts& parts, const std::string& id);
  ~ChildHost();

  // The one of this process.
  static ChildHost& get() noexcept;

  const pb_host* raw() const noexcept { return &raw_; }
  core::HostContext& context() noexcept { return context_; }
  Channel& channel() noexcept { return channel_; }
  bool send(const Encoder& out) { return channel_.send(out.frame()); }
  void set_levels(uint32_t mask) noexcept { levels_ = mask; }
  bool log_enabled(uint32_t level) const noexcept { return (levels_ >> level & 1) != 0; }

  // [any but the reader] A request of a function that must return something: waits for the parent, ten
  // seconds at most. 0 when there is no answer, or none but `err`.
  uint64_t request(Kind kind, const std::string& rest, pb_err* err, int fd = -1);

  // [any] Makes `what` known by a tag, asks the parent to begin, and forgets it again if the parent will not.
  // The parent's number, by which it is closed.
  uint64_t listen(core::Ref<Listening> what, uint64_t tag, Kind kind, const std::string& rest, pb_err* err);
  void unlisten(uint64_t handle, pb_fn done, void* user);
  uint64_t next_tag() noexcept { return ++last_tag_; }

  uint64_t add_port(std::unique_ptr<ChildPort> port, uint64_t tag, const std::string& rest);
  void close_port(uint64_t handle, pb_fn done, void* user);

  // [any] A call to the parent; see pb_services.call.
  void call(uint64_t lease, const pb_interface* caller, uint32_t slot, const pb_message* request,
            uint64_t strand, pb_reply_fn fn, void* user);

  // [any] Ends what still waits for an answer: the plugin is about to go.
  void abandon_calls();

  // [reader] Frames that are not about the plugin's life. False: not one of those.
  bool take(const std::string& frame);

 private:
  struct Answer {
    bool there = false;
    uint64_t value = 0;
    int32_t status = PB_OK;
    std::string text;
  };
  struct Outgoing {
    core::Ref<core::Strand> strand;
    pb_reply_fn fn;
    void* user;
    const pb_shape* reply;
  };
  static const void* query(void* self, pb_str id, uint32_t min_size) noexcept;
  uint64_t interface_tag(const pb_interface* interface);
  void answer(Decoder& in);
  void replied(const std::string& frame);
  void give(const Outgoing& call, int32_t status, std::string text,
            const std::shared_ptr<OwnedMessage>& reply);

  core::HostContext context_;
  const pb_host raw_;
  Channel channel_;
  std::atomic<uint64_t> last_tag_{0};
  std::atomic<uint32_t> levels_{0};
  std::mutex mutex_;  // of what follows
  std::condition_variable answered_;
  std::map<uint64_t, Answer> answers_;                      // by seq, while somebody waits
  std::map<uint64_t, core::Ref<Listening>> listening_;      // by tag
  std::map<uint64_t, uint64_t> tags_;                       // by handle
  std::map<uint64_t, std::unique_ptr<ChildPort>> ports_;    // by tag
  std::map<const pb_interface*, uint64_t> interface_tags_;  // described to the parent
  std::map<uint64_t, Outgoing> calls_;
};

// The tables that lead to the parent.
const pb_bus& child_bus() noexcept;
const pb_services& child_services() noexcept;
const pb_media& child_media() noexcept;
const pb_observe& child_observe() noexcept;
const pb_store& child_store() noexcept;

}  // namespace patchbay::isolated
