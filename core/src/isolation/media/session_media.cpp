#include "isolation/media/session_media.h"

#include <algorithm>
#include <utility>

#include "isolation/media/shared_port.h"

namespace patchbay::core::isolation {

class SessionMedia::HeldPort final : public Held {
 public:
  HeldPort(std::shared_ptr<Link> link, uint64_t tag, std::unique_ptr<SharedPort> port)
      : link_(std::move(link)), tag_(tag), port_(std::move(port)) {
    handle = port_->open(link_->host());
  }
  void close(const Host& host, pb_fn done, void* user) override {
    host.media->port_close(host.self, handle, done, user);
  }
  void closed() override { link_->send(Encoder(Kind::closed).u64(tag_)); }

 private:
  const std::shared_ptr<Link> link_;
  const uint64_t tag_;
  const std::unique_ptr<SharedPort> port_;
};

bool SessionMedia::create_port(Decoder& in, Descriptor fd) {
  const uint64_t seq = in.u64();
  const uint64_t tag = in.u64();
  const uint32_t pull_rate_hz = in.u32();
  const uint32_t push_rate_hz = in.u32();
  if (!in.whole() || held_.is_used(tag)) return false;
  auto ring = Ring::map(std::move(fd));
  if (!ring) return false;
  if (held_.is_full()) return link_->refuse(seq, "ports");
  if (std::max(pull_rate_hz, push_rate_hz) > kMostSamples * 1000 / PB_TICK_MS) {
    link_->answer(seq, 0);
    return true;
  }
  auto port = std::make_unique<HeldPort>(
      link_, tag, std::make_unique<SharedPort>(std::move(*ring), pull_rate_hz, push_rate_hz));
  if (port->handle != 0) link_->lend(port->handle);
  link_->answer(seq, port->handle);
  held_.add(tag, std::move(port));
  return true;
}

}  // namespace patchbay::core::isolation
