// SessionLink: what the parts of a session share: the channel to the child, the host that they use in its
// name, and the handles that it may name.
//
// A child may name the handles that it opened or was given in a message or an answer. Other handles find
// nothing, because the server counts handles upwards, so that a child could guess them.
#pragma once

#include <patchbay/host.h>

#include <map>
#include <string_view>
#include <unordered_set>

#include "abi/host_context.h"
#include "isolation/child_process.h"
#include "isolation/limits.h"
#include "isolation/services/message_wire.h"

namespace patchbay::core::isolation {

// On the plugin's main strand, except functions that only send. Shared with callbacks that may run after the
// session has ended; they find it closed.
class SessionLink final : public HandleTranslator {
 public:
  SessionLink(HostContext& context, const Host& host) : context_(context), host_(host) {}

  const Host& host() const noexcept { return host_; }
  void* self() const noexcept { return host_.self; }

  void open(Channel* channel) noexcept { channel_ = channel; }
  bool is_open() const noexcept { return channel_ != nullptr; }
  void close() noexcept { channel_ = nullptr; }

  // False: too large.
  bool send(Encoder& out) { return channel_ == nullptr || channel_->send(out.take()); }
  bool send(Encoder&& out) { return send(out); }
  // Drops the frame when the child does not keep up. False: dropped.
  bool send_if_room(Encoder& out);
  // The child keeps up with what it is sent.
  bool has_room() const { return channel_ == nullptr || channel_->waiting() < kMaxUnsentFrames; }
  // Answers a request.
  void answer(uint64_t seq, uint64_t value, const pb_err& err) { answer(seq, value, err.code, err.text); }
  void answer(uint64_t seq, uint64_t value, int32_t status = PB_OK, std::string_view text = {});
  // Answers a request with PB_E_EXHAUSTED, because the child has too many `what`, and logs that. Returns
  // true.
  bool refuse(uint64_t seq, std::string_view what);
  void too_many(std::string_view what) { context_.report_misuse("an isolated plugin has too many", what); }

  // Lets the child name the handle, which it opened or was given.
  void grant(uint64_t handle);
  bool is_open_transaction(uint64_t tx) const;
  bool is_granted(uint64_t handle) const { return granted_.count(handle) != 0; }
  uint64_t outgoing(uint64_t handle) override;
  uint64_t incoming(uint64_t handle) override;

  // Transactions that the child has passed to other plugins: its number -> the server's.
  std::map<uint64_t, uint64_t> transactions;

 private:
  void forget_closed();

  // borrowed
  HostContext& context_;
  const Host& host_;
  Channel* channel_ = nullptr;
  // state
  std::unordered_set<uint64_t> granted_;
  size_t cleanup_at_ = 1024;  // size of granted_ at which closed handles are removed next
};

}  // namespace patchbay::core::isolation
