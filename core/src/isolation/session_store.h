// The store table of one child, as it uses it: reads, transactions that come whole or operation by operation,
// job workers, durable consumers, sealing.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionStore {
 public:
  static constexpr size_t kMostUnderWay = 16384;  // reads and commits that the child waits for
  static constexpr size_t kMostShared = 4096;     // open transactions that others may add to

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
  class Worker;
  class Consumer;
  struct Asked;
  Asked* ask(uint64_t number);
  // The server's number of a transaction that the child names, 0: none it may name.
  uint64_t known(uint64_t tx) const;

  // shared with callbacks that may outlive the session
  const std::shared_ptr<Link> link_;
  const std::shared_ptr<size_t> under_way_ = std::make_shared<size_t>(0);
  // borrowed
  HeldThings& held_;
};

}  // namespace patchbay::core::isolation
