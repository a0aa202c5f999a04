#include "rtp/peer_address_filter.h"

#include <sys/socket.h>

#include "rtp/bytes.h"

namespace patchbay::lib {
namespace {

constexpr uint32_t kNetwork = static_cast<uint32_t>(SKF_NET_OFF);
constexpr uint32_t kSenderOffset4 = 12;  // of the sender's address in the IP header
constexpr uint32_t kSenderOffset6 = 8;
constexpr size_t kSmallProgram = 6 + 9 * 16;

constexpr sock_filter kAccept{BPF_RET | BPF_K, 0, 0, 0xFFFFFFFF};
constexpr sock_filter kDrop{BPF_RET | BPF_K, 0, 0, 0};

sock_filter load_word(uint32_t offset) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, kNetwork + offset}; }
sock_filter unless_equal_skip(uint32_t value, uint8_t skip) {
  return {BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value};
}

class Writer {
 public:
  Writer(sock_filter* out, size_t capacity) : out_(out), capacity_(capacity) {}
  void add(const sock_filter& instruction) {
    if (size_ < capacity_) out_[size_] = instruction;
    ++size_;
  }
  void add_peer(const SocketAddress& peer) {
    sockaddr_storage storage;
    peer.fill(storage);
    if (peer.family() == AF_INET) {
      const auto& address = reinterpret_cast<const sockaddr_in&>(storage).sin_addr;
      add(unless_equal_skip(read_u32(reinterpret_cast<const uint8_t*>(&address)), 1));
    } else {
      const uint8_t* bytes = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr.s6_addr;
      for (uint32_t word = 0; word < 4; ++word) {
        add(load_word(kSenderOffset6 + 4 * word));
        add(unless_equal_skip(read_u32(bytes + 4 * word), static_cast<uint8_t>(2 * (3 - word) + 1)));
      }
    }
    add(kAccept);
  }
  size_t size() const noexcept { return size_; }

 private:
  sock_filter* out_;
  size_t capacity_;
  size_t size_ = 0;
};

}  // namespace

size_t write_peer_address_filter(const SocketAddress* peers, size_t count, sock_filter* out,
                                 size_t capacity) noexcept {
  Writer writer(out, capacity);
  // Branches by IP version: anything but IPv4 jumps over the first half.
  writer.add({BPF_LD | BPF_B | BPF_ABS, 0, 0, kNetwork});
  writer.add({BPF_ALU | BPF_RSH | BPF_K, 0, 0, 4});
  writer.add({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 4});
  const size_t jump = writer.size();
  writer.add(kDrop);  // replaced by the jump below
  writer.add(load_word(kSenderOffset4));
  for (size_t i = 0; i < count; ++i)
    if (peers[i].family() == AF_INET) writer.add_peer(peers[i]);
  writer.add(kDrop);
  const auto half = static_cast<uint32_t>(writer.size() - jump - 1);
  for (size_t i = 0; i < count; ++i)
    if (peers[i].family() == AF_INET6) writer.add_peer(peers[i]);
  writer.add(kDrop);
  if (writer.size() > capacity) return 0;
  out[jump] = {BPF_JMP | BPF_JA, 0, 0, half};
  return writer.size();
}

bool attach_peer_address_filter(int fd, const SocketAddress* peers, size_t count) noexcept {
  sock_filter code[kSmallProgram];
  const size_t size = write_peer_address_filter(peers, count, code, kSmallProgram);
  const sock_fprog program{static_cast<unsigned short>(size), code};
  return size != 0 && ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0;
}

}  // namespace patchbay::lib
