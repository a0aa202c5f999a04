#include "secure/secure_media.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "rtp/packet.h"

namespace patchbay::sip_trunk {
namespace {

constexpr unsigned kMaxSendingThreads = 64;

lib::SrtpKind kind_of(lib::PacketProtection::Kind kind) {
  return kind == lib::PacketProtection::Kind::rtp ? lib::SrtpKind::rtp : lib::SrtpKind::rtcp;
}

}  // namespace

SrtpProtection::SrtpProtection(const lib::MasterKey& sent, std::shared_ptr<lib::SrtpSender> sender,
                               const lib::MasterKey& received, std::shared_ptr<lib::SrtpReceiver> receiver,
                               std::shared_ptr<lib::SrtpReceiver> receiver_before,
                               std::shared_ptr<lib::MultiBufferPool> pool)
    : sent_(sent),
      received_(received),
      sender_(std::move(sender)),
      receiver_(std::move(receiver)),
      receiver_before_(std::move(receiver_before)),
      pool_(std::move(pool)) {}

bool SrtpProtection::unprotect(Kind kind, uint8_t* data, size_t& size) noexcept {
  const auto accepts = [&](lib::SrtpReceiver& receiver, const lib::SrtpReceiver* before = nullptr) {
    return receiver.unprotect(kind_of(kind), data, size, before) == lib::SrtpReceiver::Verdict::accepted;
  };
  if (!receiver_before_ || !is_key_new_.load(std::memory_order_relaxed) || size > lib::kMaxRtpPacketBytes)
    return accepts(*receiver_);
  std::array<uint8_t, lib::kMaxRtpPacketBytes> copy;  // a failed attempt may change the packet
  const size_t whole_size = size;
  std::memcpy(copy.data(), data, size);
  if (accepts(*receiver_, receiver_before_.get())) {
    if (kind == Kind::rtp) is_key_new_.store(false, std::memory_order_relaxed);
    return true;
  }
  size = whole_size;
  std::memcpy(data, copy.data(), size);
  return accepts(*receiver_before_);
}

bool SrtpProtection::protect(Kind kind, uint8_t* data, size_t& size) noexcept {
  const lib::MultiBufferPool::Loan buffer = pool_->borrow();
  if (!buffer) return false;
  lib::OutboundPacket packet{sender_.get(), kind_of(kind), data, size, size + kMaxTrailerBytes, false};
  if (!buffer->protect(packet)) return false;
  size = packet.size;
  return true;
}

Result<std::shared_ptr<SrtpProtection>> SecureMedia::protection(const lib::MasterKey& sent,
                                                                const lib::MasterKey& received,
                                                                const SrtpProtection* previous) {
  PB_TRY_VALUE(std::shared_ptr<lib::MultiBufferPool> pool, this->pool());
  std::shared_ptr<lib::SrtpSender> sender;
  if (previous != nullptr && previous->sent_ == sent) {
    sender = previous->sender_;
  } else {
    PB_TRY_VALUE(sender, lib::SrtpSender::create(sent));
  }
  std::shared_ptr<lib::SrtpReceiver> receiver, receiver_before;
  bool is_key_new = true;
  if (previous != nullptr && previous->received_ == received) {
    receiver = previous->receiver_;
    receiver_before = previous->receiver_before_;
    is_key_new = previous->is_key_new_;
  } else {
    // Keeps the latest receiver that has got packets, because no other knows the roll-over counts.
    if (previous != nullptr)
      receiver_before = previous->is_key_new_ && previous->receiver_before_ ? previous->receiver_before_
                                                                            : previous->receiver_;
    PB_TRY_VALUE(receiver, lib::SrtpReceiver::create(received));
  }
  const auto protection = std::make_shared<SrtpProtection>(
      sent, std::move(sender), received, std::move(receiver), std::move(receiver_before), std::move(pool));
  protection->is_key_new_ = is_key_new;
  return protection;
}

Result<std::shared_ptr<lib::MultiBufferPool>> SecureMedia::pool() {
  const std::lock_guard lock(mutex_);
  if (!pool_) {
    // Each media loop has a core of its own.
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 2U, kMaxSendingThreads);
    PB_TRY_VALUE(pool_, lib::MultiBufferPool::create(threads));
  }
  return pool_;
}

}  // namespace patchbay::sip_trunk
