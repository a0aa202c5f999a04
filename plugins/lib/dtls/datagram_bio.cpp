#include "dtls/datagram_bio.h"

#include <openssl/bio.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace patchbay::lib {

BIO* DatagramBio::create() {
  BIO_METHOD* const how = method();
  BIO* const bio = how != nullptr ? BIO_new(how) : nullptr;
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  return bio;
}

// Made once and never freed, because sessions of any thread use it.
BIO_METHOD* DatagramBio::method() {
  static BIO_METHOD* const how = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "patchbay datagrams");
    if (made == nullptr) return made;
    BIO_meth_set_read(made, &DatagramBio::read);
    BIO_meth_set_write(made, &DatagramBio::write);
    BIO_meth_set_ctrl(made, &DatagramBio::control);
    return made;
  }();
  return how;
}

std::vector<uint8_t> DatagramBio::take_outgoing() {
  if (outgoing_.empty()) return {};
  std::vector<uint8_t> datagram = std::move(outgoing_.front());
  outgoing_.pop_front();
  return datagram;
}

int DatagramBio::read(BIO* bio, char* out, int size) {
  auto& self = *static_cast<DatagramBio*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (self.incoming_.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const size_t count = std::min(self.incoming_.size(), static_cast<size_t>(std::max(size, 0)));
  std::memcpy(out, self.incoming_.data(), count);
  self.incoming_ = {};  // what does not fit is lost, as with a socket
  return static_cast<int>(count);
}

int DatagramBio::write(BIO* bio, const char* data, int size) {
  auto& self = *static_cast<DatagramBio*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (size > 0 && self.outgoing_.size() < kMaxOutgoing) self.outgoing_.emplace_back(data, data + size);
  return size;
}

long DatagramBio::control(BIO* bio, int command, long, void*) {
  const auto& self = *static_cast<const DatagramBio*>(BIO_get_data(bio));
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_DGRAM_QUERY_MTU:
    case BIO_CTRL_DGRAM_GET_FALLBACK_MTU:
      return static_cast<long>(self.mtu_);
    case BIO_CTRL_PENDING:
      return static_cast<long>(self.incoming_.size());
    default:
      return 0;
  }
}

}  // namespace patchbay::lib
