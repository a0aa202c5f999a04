#include "caller.h"

#include <algorithm>

namespace patchbay::isolated {

Caller* Caller::current = nullptr;

void ProbePort::pull(pb_frame& out) noexcept {
  out.samples = out.capacity;
  std::fill_n(out.pcm, out.samples, kSaid);
}

void ProbePort::push(const pb_frame& in) noexcept {
  const bool silent = (in.flags & PB_FRAME_SILENCE) != 0;
  heard = silent || in.samples == 0 ? int16_t{0} : in.pcm[in.samples / 2];
}

Status Caller::start(const Config&) {
  service_ = std::make_unique<Service<callee::Callee>>(host());
  service_->on_change([this](bool up) {
    up_ = up;
    ++changes_;
  });
  audio_ = std::make_unique<Service<audio::Audio>>(host());
  listener_ = std::make_unique<Provision<callee::Listener>>(host());
  listener_->on(callee::Listener::told, [this](callee::Said said) -> Result<callee::Said> {
    caller_end_ = EndWatch(host(), calling_plugin(host()), [this] { caller_gone = true; });
    said.text = "heard " + said.text;
    return said;
  });
  listener_handle_ = listener_->handle();
  PB_TRY_VALUE(heard_, Subscription::open(host(), "test.pong", [this](const Event& event) {
                 pong.set(std::string(event.subject()) + " " + std::string(event.payload()));
               }));
  probe.open(host());
  current = this;
  return {};
}

void Caller::stop(Done done) {
  current = nullptr;
  service_.reset();
  audio_.reset();
  listener_.reset();
  caller_end_ = {};
  port_gone_ = {};
  heard_ = {};
  probe.close([done = std::move(done)]() mutable { done(); });
}

Result<audio::Joined> Caller::join(Handle port, AudioPort& with) {
  auto answer = std::make_shared<test::Promise<Result<audio::Joined>>>();
  post(host(), kMainStrand, [this, port, answer, with = with.handle()] {
    audio_->call(audio::Audio::join, {with, port, "test"},
                 [answer](Result<audio::Joined> joined) { answer->set(std::move(joined)); });
  });
  auto came = answer->get();
  return came ? std::move(*came) : Result<audio::Joined>(Code::timeout, "no answer in a minute");
}

Result<audio::Joined> Caller::join_stamps(Handle port, bool paced) {
  auto opened = std::make_shared<test::Promise<bool>>();
  post(host(), kMainStrand, [this, paced, opened] {
    stamps = std::make_unique<StampProbe>(host(), paced);
    opened->set(static_cast<bool>(stamps->open(host())));
  });
  static_cast<void>(opened->get());
  return join(port, *stamps);
}

bool Caller::leave_stamps(audio::Joined joined) {
  const bool left = leave(joined);
  auto closed = std::make_shared<test::Promise<bool>>();
  post(host(), kMainStrand, [this, closed] { stamps->close([closed] { closed->set(true); }); });
  return closed->get().value_or(false) && left;
}

void Caller::drop_listener() {
  post(host(), kMainStrand, [this] { listener_.reset(); });
}

void Caller::watch_port(Handle port) {
  auto watching = std::make_shared<test::Promise<bool>>();
  post(host(), kMainStrand, [this, port, watching] {
    port_gone_ = EndWatch(host(), port, [this] { port_gone = true; });
    watching->set(true);
  });
  static_cast<void>(watching->get());
}

bool Caller::leave(audio::Joined joined) {
  auto answer = std::make_shared<test::Promise<bool>>();
  post(host(), kMainStrand, [this, joined, answer] {
    audio_->call(audio::Audio::leave, joined, [answer](Result<Empty> left) { answer->set(left.ok()); });
  });
  return answer->get().value_or(false);
}

}  // namespace patchbay::isolated
