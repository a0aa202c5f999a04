#include "legs/leg_port.h"

#include <algorithm>
#include <utility>

namespace patchbay::sip_trunk {

LegPort::LegPort(const Host& host, lib::RtpSocket socket, const lib::AudioStream::Options& options,
                 Function<void(char)> on_digit)
    : host_(host), stream_(std::move(socket), options), on_digit_(std::move(on_digit)) {}

void LegPort::configure(lib::StreamMedia media) {
  can_send_digits_ = media.event_send_type >= 0;
  media_.put(std::move(media));
}

bool LegPort::send_digits(std::string_view digits) noexcept {
  const uint32_t at = to_send_written_.load(std::memory_order_relaxed);
  const uint32_t waiting = at - to_send_read_.load(std::memory_order_acquire);
  if (digits.size() > digits_to_send_.size() - waiting) return false;
  for (uint32_t i = 0; i < digits.size(); ++i)
    digits_to_send_[(at + i) % digits_to_send_.size()].store(digits[i], std::memory_order_relaxed);
  to_send_written_.store(at + static_cast<uint32_t>(digits.size()), std::memory_order_release);
  return true;
}

// Leaves those for which the stream has no room now.
void LegPort::take_digits_to_send() noexcept {
  const uint32_t written = to_send_written_.load(std::memory_order_acquire);
  uint32_t at = to_send_read_.load(std::memory_order_relaxed);
  for (; at != written; ++at) {
    const char digit = digits_to_send_[at % digits_to_send_.size()].load(std::memory_order_relaxed);
    if (!stream_.send_digits({&digit, 1})) break;
  }
  to_send_read_.store(at, std::memory_order_release);
}

uint32_t LegPort::choose_rate(uint32_t wanted) noexcept {
  if (!is_open_) rate_hz_ = wanted;
  return rate_hz_;
}

Handle LegPort::open(const Host& host) {
  is_open_ = true;
  const Handle port = AudioPort::open(host);
  // Without a watch the sockets are read at each tick.
  if (!port || !rtp_.watch.open<&LegPort::on_rtp>(stream_.descriptor(Channel::rtp), *this)) return port;
  static_cast<void>(rtcp_.watch.open<&LegPort::on_rtcp>(stream_.descriptor(Channel::rtcp), *this));
  static_cast<void>(missing_timer_.open<&LegPort::on_missing_due>(*this));
  return port;
}

void LegPort::attached(uint32_t) noexcept {
  take_settings();
  watch(rtp_);
  watch(rtcp_);
}

// The security of an offer and answer was handed over before its media, so that nothing is sent in the clear
// between.
void LegPort::take_settings() noexcept {
  const auto take_security = [this] {
    security_.take([this](lib::StreamSecurity& security) { stream_.secure(security); });
  };
  media_.take([&](lib::StreamMedia& media) {
    take_security();
    stream_.configure(media);
  });
  take_security();
}

void LegPort::watch(WatchedSocket& socket) noexcept {
  socket.is_paused = false;
  socket.is_watched = socket.watch.is_open() && socket.watch.set(PB_READY_READ) == Code::ok;
}

void LegPort::receive(WatchedSocket& socket, Channel channel, int64_t now_ns) noexcept {
  take_settings();  // the peer may use what was agreed on as soon as it knows
  if (!stream_.receive(channel, now_ns)) socket.is_paused = socket.watch.set(0) == Code::ok;
  set_missing_timer();
}

void LegPort::receive_at_tick(WatchedSocket& socket, Channel channel, int64_t now_ns) noexcept {
  if (!socket.is_watched) {
    stream_.receive_all(channel, now_ns);
  } else if (socket.is_paused) {
    watch(socket);
  }
}

void LegPort::pull(pb_frame& out) noexcept {
  take_settings();
  take_digits_to_send();
  last_tick_ = out.tick;
  last_ns_ = out.time_ns;
  stream_.begin_tick();
  receive_at_tick(rtp_, Channel::rtp, out.time_ns);
  receive_at_tick(rtcp_, Channel::rtcp, out.time_ns);
  if (sink_) {
    stream_.tick_frames(out.time_ns);
    set_missing_timer();
    out.flags |= PB_FRAME_SILENCE;  // ignored
  } else {
    play(out);
  }
  post_digits();
}

bool LegPort::stream_to(const FrameSink& sink) noexcept {
  if (!sink) {
    stream_.end_frames();
    set_missing_timer();
  } else if ((sink.flags & PB_PORT_UNPACED) != 0) {
    stream_.begin_frames(
        [](void* self, const lib::FrameAssembler::Frame& frame) {
          static_cast<LegPort*>(self)->pass_frame(frame);
        },
        this);
  } else {
    return false;
  }
  sink_ = sink;
  return static_cast<bool>(sink);
}

void LegPort::pass_frame(const lib::FrameAssembler::Frame& received) noexcept {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.flags = received.is_silence ? PB_FRAME_SILENCE : 0;
  frame.tick = last_tick_;
  frame.time_ns = received.time_ns;
  frame.rate_hz = stream_.rate_hz();
  frame.samples = frame.capacity = static_cast<uint32_t>(received.samples);
  frame.pcm = const_cast<int16_t*>(received.pcm);  // only read, as pb_frame_fn takes it as const
  if (add_said(frame, received.pcm, true)) frame.flags &= ~PB_FRAME_SILENCE;
  sink_(frame);
}

// Passes a frame that may not be changed to the taps; what they add, they add to a copy. Returns whether they
// did.
bool LegPort::add_said(pb_frame& frame, const int16_t* pcm, bool is_far) noexcept {
  if (taps_->is_empty() || frame.samples > tapped_.size() || frame.rate_hz != rate_hz_) return false;
  std::copy_n(pcm, frame.samples, tapped_.begin());
  if (!(is_far ? taps_->far(tapped_.data(), frame.samples) : taps_->near(tapped_.data(), frame.samples)))
    return false;
  frame.pcm = tapped_.data();
  return true;
}

// Without a timer missing packets are given up at the next tick.
void LegPort::set_missing_timer() noexcept {
  const int64_t due_ns = sink_ ? stream_.missing_due_ns() : 0;
  if (due_ns == missing_due_ns_ || !missing_timer_.is_open()) return;
  missing_due_ns_ = due_ns;
  static_cast<void>(missing_timer_.set(due_ns));
}

void LegPort::on_missing_due(const pb_tick& tick) noexcept {
  missing_due_ns_ = 0;
  stream_.give_up_missing(tick.time_ns);
  set_missing_timer();
}

// Until the codecs of the first answer are there, the stream has another rate than the port.
void LegPort::play(pb_frame& out) noexcept {
  const size_t samples = out.rate_hz / 1000 * PB_TICK_MS;
  if (stream_.rate_hz() == out.rate_hz)
    stream_.play(out.pcm);
  else
    std::fill_n(out.pcm, samples, int16_t{0});
  out.samples = static_cast<uint32_t>(samples);
  taps_->far(out.pcm, samples);
}

void LegPort::push(const pb_frame& in) noexcept {
  pb_frame frame = in;
  add_said(frame, in.pcm, false);
  if (stream_.rate_hz() == in.rate_hz) stream_.push(frame.pcm, in.time_ns);
}

void LegPort::detached() noexcept {
  for (WatchedSocket* socket : {&rtp_, &rtcp_})
    if (std::exchange(socket->is_watched, false)) static_cast<void>(socket->watch.set(0));
  stream_.send_bye(last_ns_);
}

void LegPort::post_digits() noexcept {
  bool any = false;
  while (const auto digit = stream_.next_digit()) {
    const uint32_t at = digits_written_.load(std::memory_order_relaxed);
    digits_[at % digits_.size()].store(*digit, std::memory_order_relaxed);
    digits_written_.store(at + 1, std::memory_order_release);
    any = true;
  }
  if (any) host_.runtime->strand_post(host_.self, kMainStrand, &LegPort::deliver_digits, this);
}

// Runs before the port is closed, because both run in order on the main strand.
void LegPort::deliver_digits(void* self) noexcept {
  auto* port = static_cast<LegPort*>(self);
  const uint32_t written = port->digits_written_.load(std::memory_order_acquire);
  for (; port->digits_read_ != written; ++port->digits_read_) {
    const char digit =
        port->digits_[port->digits_read_ % port->digits_.size()].load(std::memory_order_relaxed);
    guard_void([&] { port->on_digit_(digit); },
               [&](const char* text) { port->host_.log_thrown("digit", text); });
  }
}

}  // namespace patchbay::sip_trunk
