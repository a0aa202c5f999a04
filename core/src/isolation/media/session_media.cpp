#include "isolation/media/session_media.h"

#include <algorithm>
#include <utility>

#include "isolation/media/shared_port.h"

namespace patchbay::core::isolation {

class SessionMedia::RemotePort final : public RemoteObject {
 public:
  RemotePort(std::shared_ptr<SessionLink> link, uint64_t number, std::unique_ptr<SharedPort> port)
      : RemoteObject(HandleKind::port), link_(std::move(link)), number_(number), port_(std::move(port)) {
    handle = port_->open();
  }
  RemotePort(const RemotePort&) = delete;
  RemotePort& operator=(const RemotePort&) = delete;
  ~RemotePort() override { SharedPort::end(std::move(port_)); }
  void closing() override { port_->close_bell(); }
  void closed() override { link_->send(Encoder(Kind::port_closed).u64(number_)); }

 private:
  const std::shared_ptr<SessionLink> link_;
  const uint64_t number_;
  std::unique_ptr<SharedPort> port_;
};

bool SessionMedia::create_port(Decoder& in, Descriptor fd) {
  const uint64_t number = in.u64();
  PortKind kind;
  kind.pull_rate_hz = in.u32();
  kind.push_rate_hz = in.u32();
  kind.push_flags = in.u32() & (PB_PORT_UNPACED | PB_PORT_EARLY);
  kind.can_stream = in.u32() != 0;
  if (!in.whole()) return false;
  auto bell = Bell::accept(std::move(fd));
  if (!bell) return false;
  auto ring = Ring::map(bell->second);
  if (!ring) return false;
  if (!held_.has_room(HandleKind::port)) return link_->refuse(number, "ports");
  if (std::max(kind.pull_rate_hz, kind.push_rate_hz) > kMaxSamples * 1000 / PB_TICK_MS) {
    link_->answer(number, 0);
    return true;
  }
  auto port = std::make_unique<RemotePort>(
      link_, number,
      std::make_unique<SharedPort>(link_->host(), std::move(*ring), std::move(bell->first), kind));
  if (port->handle != 0) link_->grant(port->handle);
  link_->answer(number, port->handle);
  held_.add(std::move(port));
  return true;
}

}  // namespace patchbay::core::isolation
