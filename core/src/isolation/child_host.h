// ChildHost: the host for the one plugin of this process. Strands, timers, clocks, workers, media
// loops and JSON are the core's own and run here; bus, services, store, ports, logs and metrics are reached
// in the server over the channel.
//
// Handles are the server's, so that those inside messages mean the same in both processes. Only transactions
// begun here have numbers of this process, which the server recognises by their highest bit.
#pragma once

#include <patchbay/function.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "abi/host_context.h"
#include "isolation/channel.h"
#include "isolation/services/message_wire.h"
#include "isolation/store/child_transactions.h"
#include "runtime/registration.h"

namespace patchbay::core::isolation {

class ChildPort;

// A registration of the plugin, which the server calls back by the number of the request that made it; runs
// on its strand unless closed.
class RemoteRegistration : public Registration {
 public:
  using Registration::Registration;
  // [any] Queues a frame for it, read up to its kind; counts it as untaken until it has run, unless
  // is_small().
  void take(std::string frame);
  // Its frames are few and small: they are not counted, and never dropped.
  virtual bool is_small() const noexcept { return false; }

 protected:
  virtual void run(Decoder& in) = 0;
  virtual void refuse(Decoder&) {}  // closed meanwhile
};

class ChildHost final : public HandleTranslator {
 public:
  // Takes the answer to a question: its frame, read behind its number.
  using Taker = Function<void(Decoder& in)>;
  struct Answer {
    bool there = false;
    uint64_t value = 0;
    int32_t status = PB_OK;
    std::string text;
  };

  ChildHost(Descriptor socket, HostServices& services, const std::string& id);
  ~ChildHost();

  // The host of this process.
  static ChildHost& get() noexcept;

  HostContext& context() noexcept { return context_; }
  Channel& channel() noexcept { return channel_; }
  Transactions& transactions() noexcept { return transactions_; }
  bool send(Encoder& out) { return channel_.send(out.take()); }
  bool send(Encoder&& out) { return send(out); }
  uint64_t next_number() noexcept { return ++last_number_; }

  void began(uint32_t levels, int64_t epoch) noexcept;
  bool log_enabled(uint32_t level) const noexcept { return (levels_ >> level & 1) != 0; }
  int64_t epoch() const noexcept { return epoch_; }

  // [any but the reader] Sends the request of a function that returns a value, and waits for the server, ten
  // seconds at most. `rest` is the frame after the number.
  Answer ask(Kind kind, const std::string& rest, int fd = -1);
  // The same for functions that return a number; 0: failed, see `err`.
  uint64_t request(Kind kind, const std::string& rest, pb_err* err, int fd = -1);

  // [any] Expects the answer to a question: calls taker(in) with it on the strand. Returns the question's
  // number. The plugin is not destroyed before the answer.
  uint64_t expect(uint64_t strand, Taker taker, bool is_call = false);
  // Sends the question; if it is too large, answers it with the frame `fallback`.
  void question(Encoder& out, const Encoder& fallback);
  // [any] Answers a question here; `answer` is a frame as the server would send it.
  void refuse(const Encoder& answer) { deliver_answer(answer.frame()); }
  // [any] Cancels the calls to other plugins that are not answered yet, because this plugin is about to end.
  void cancel_calls();

  // [any] Registers `what` under the number of this request, then sends the request. Returns the server's
  // handle, which closes it; 0: the server refused, and `what` is forgotten.
  uint64_t open_registration(Ref<RemoteRegistration> what, Kind kind, const std::string& rest, pb_err* err);
  // Closes the registration here, and in the server by that function.
  void close_registration(uint32_t function, uint64_t handle, pb_fn done, void* user);

  // `bell`: the descriptor that goes to the server.
  uint64_t add_port(std::unique_ptr<ChildPort> port, const std::string& rest, int bell);
  void close_port(uint64_t handle, pb_fn done, void* user);
  // The plugin joins a port that it created. Returns an opening; 0: it has no such port.
  uint64_t open_port(uint64_t handle, const pb_port** table, void** self);

  // [any] The number under which the server knows this interface.
  uint64_t interface_number(const pb_interface* interface);

  // [reader] Handles frames that are not about the plugin's life; false for others. Calls, events and jobs
  // that the plugin has not taken wait here up to a limit: the reader never waits for the plugin, which may
  // itself be waiting for an answer. Beyond the limit calls are refused, events dropped, and jobs claimed
  // again later.
  bool take(const std::string& frame);
  void processed(size_t bytes) noexcept;

  // Describes what the plugin still waits for: "2 answers of the server, 1 job on a worker"; "" for nothing.
  std::string under_way() const;

  uint64_t outgoing(uint64_t handle) override;
  uint64_t incoming(uint64_t handle) override { return handle; }

 private:
  struct Expected {
    Ref<Strand> strand;
    std::shared_ptr<Taker> taker;
    bool is_call;
  };
  Answer ask(uint64_t number, Kind kind, const std::string& rest, int fd);
  uint64_t handle_of(Answer answer, pb_err* err);
  void answered(Decoder& in);
  void deliver_answer(const std::string& frame);
  void port_closed(uint64_t number);
  bool admit(size_t bytes) noexcept;

  // owned
  HostContext context_;
  Channel channel_;
  Transactions transactions_;
  // state
  std::atomic<uint64_t> last_number_{0};
  std::atomic<uint32_t> levels_{0};
  std::atomic<int64_t> epoch_{0};
  std::atomic<size_t> waiting_{0};
  std::atomic<size_t> waiting_bytes_{0};
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable condition_;
  std::map<uint64_t, Answer> answers_;                         // by number, while a caller waits
  std::map<uint64_t, Expected> expected_;                      // by number
  std::map<uint64_t, Ref<RemoteRegistration>> registrations_;  // by number
  std::map<uint64_t, uint64_t> numbers_;                       // of those and of ports, by handle
  std::map<uint64_t, std::unique_ptr<ChildPort>> ports_;       // by number
  std::map<const pb_interface*, uint64_t> interface_numbers_;  // described to the server
};

// The tables whose functions call the server.
const pb_bus& child_bus() noexcept;
const pb_services& child_services() noexcept;
const pb_media& child_media() noexcept;
const pb_observe& child_observe() noexcept;
const pb_store& child_store() noexcept;

// [strand main] Sends the server what has changed in the plugin's metrics.
void send_metrics();

}  // namespace patchbay::core::isolation
