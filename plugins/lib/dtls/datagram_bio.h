// The datagrams of one DTLS session on their way in and out of OpenSSL. Unlike memory BIOs it keeps their
// boundaries. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

using BIO = struct bio_st;
using BIO_METHOD = struct bio_method_st;

namespace patchbay::lib {

class DatagramBio {
 public:
  // A flight has a few datagrams; beyond this number further ones count as lost.
  static constexpr size_t kMaxOutgoing = 32;

  explicit DatagramBio(size_t mtu) noexcept : mtu_(mtu) {}
  DatagramBio(const DatagramBio&) = delete;
  DatagramBio& operator=(const DatagramBio&) = delete;

  // Returns a BIO that reads and writes here; this must outlive it. Null: no memory.
  BIO* create();

  // Sets the datagram that OpenSSL reads next. The bytes are borrowed until clear_incoming().
  void set_incoming(std::span<const uint8_t> datagram) noexcept { incoming_ = datagram; }
  void clear_incoming() noexcept { incoming_ = {}; }

  // Takes the oldest datagram to send; empty: none.
  std::vector<uint8_t> take_outgoing();

 private:
  static int read(BIO* bio, char* out, int size);
  static int write(BIO* bio, const char* data, int size);
  static long control(BIO* bio, int command, long number, void* pointer);
  static BIO_METHOD* method();

  const size_t mtu_;
  std::span<const uint8_t> incoming_;
  std::deque<std::vector<uint8_t>> outgoing_;
};

}  // namespace patchbay::lib
