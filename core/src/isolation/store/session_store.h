// The store table of one child, as it uses it: reads, transactions that come whole or operation by operation,
// job workers, durable consumers, sealing.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"
#include "isolation/load.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionStore {
 public:
  // Reads and commits that the child waits for.
  static constexpr size_t kMostUnderWay = 16384;
  static constexpr size_t kMostUnderWayBytes = 64u << 20;
  // Open transactions of the child that others may add to, and what it has added to open transactions: what
  // is beyond ends the transaction, so that its commit fails whole.
  static constexpr size_t kMostShared = 4096;
  static constexpr size_t kMostOpenBytes = 64u << 20;

  SessionStore(std::shared_ptr<Link> link, HeldThings& held) : link_(std::move(link)), held_(held) {}

  // Frames; each is false when the frame made no sense.
  bool statement(Decoder& in);
  bool read(Decoder& in);
  bool share(Decoder& in);
  bool add(Decoder& in);
  bool discard(Decoder& in);
  bool commit(Decoder& in);
  bool job_worker(Decoder& in);
  bool consumer(Decoder& in);
  bool pending(Decoder& in);
  bool seal(Kind kind, Decoder& in);

  // The child has ended: what it did not commit is discarded.
  void end();

 private:
  struct Asked;
  Asked* ask(uint64_t number, Load::Share share);
  // Adds the operations in the frame to an open transaction, as far as there is room.
  bool add_to(uint64_t tx, Decoder& in);
  void forget_ended();
  // The server's number of a transaction that the child names, 0: none it may name.
  uint64_t known(uint64_t tx) const;

  // shared with callbacks that may outlive the session
  const std::shared_ptr<Link> link_;
  const std::shared_ptr<Load> under_way_ = std::make_shared<Load>(kMostUnderWay, kMostUnderWayBytes);
  // borrowed
  HeldThings& held_;
  // state
  std::map<uint64_t, size_t> open_bytes_;  // of operations of the child, by the server's transaction
  size_t all_open_bytes_ = 0;
};

}  // namespace patchbay::core::isolation
