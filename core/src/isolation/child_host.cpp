#include "isolation/child_host.h"

#include <patchbay/str.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "abi/media_registry.h"
#include "isolation/host_call_wire.h"
#include "isolation/limits.h"
#include "isolation/media/child_port.h"
#include "isolation/services/interface_wire.h"

namespace patchbay::core::isolation {
namespace {

ChildHost* the_host = nullptr;

HostTablePointers tables() {
  return {&runtime_table(), &child_observe(),  &json_table(), &child_bus(),
          &child_store(),   &child_services(), &child_media()};
}

}  // namespace

void RemoteRegistration::take(std::string frame) {
  strand().post([self = Ref<RemoteRegistration>(this), frame = std::move(frame)] {
    Decoder in(frame);
    in.kind();
    if (!self->is_small()) ChildHost::get().processed(frame.size());
    if (self->open()) {
      self->run(in);
    } else {
      self->refuse(in);
    }
  });
}

ChildHost::ChildHost(Descriptor socket, HostServices& services, const std::string& id)
    : context_(services, id, tables()), channel_(std::move(socket)) {
  the_host = this;
}

ChildHost::~ChildHost() = default;

ChildHost& ChildHost::get() noexcept { return *the_host; }

void ChildHost::began(uint32_t levels, int64_t epoch) noexcept {
  levels_ = levels;
  epoch_ = epoch;
}

ChildHost::Answer ChildHost::ask(Kind kind, const std::string& rest, int fd) {
  return ask(next_number(), kind, rest, fd);
}

ChildHost::Answer ChildHost::ask(uint64_t number, Kind kind, const std::string& rest, int fd) {
  {
    const std::lock_guard lock(mutex_);
    answers_[number];
  }
  Encoder out(kind);
  const bool sent = channel_.send(out.u64(number).bytes(rest).take(), fd);
  std::unique_lock lock(mutex_);
  if (sent)
    condition_.wait_for(lock, std::chrono::milliseconds(kRequestTimeoutMs),
                        [&] { return answers_[number].there; });
  Answer answer = std::move(answers_[number]);
  answers_.erase(number);
  if (answer.there) return answer;
  if (!sent) return {false, 0, PB_E_EXHAUSTED, kTooLarge};
  return {false, 0, PB_E_GONE, "the server does not answer"};
}

uint64_t ChildHost::request(Kind kind, const std::string& rest, pb_err* err, int fd) {
  return handle_of(ask(kind, rest, fd), err);
}

uint64_t ChildHost::handle_of(Answer answer, pb_err* err) {
  if (answer.value == 0) write_error(err, static_cast<Code>(answer.status), answer.text);
  return answer.value;
}

void ChildHost::answered(Decoder& in) {
  const uint64_t number = in.u64();
  Answer answer{true, in.u64(), static_cast<int32_t>(in.u32()), {}};
  answer.text = in.str();
  const std::lock_guard lock(mutex_);
  const auto at = answers_.find(number);
  if (at == answers_.end()) return;
  at->second = std::move(answer);
  condition_.notify_all();
}

uint64_t ChildHost::expect(uint64_t strand, Taker taker, bool is_call) {
  context_.wait_began();
  const uint64_t number = next_number();
  const std::lock_guard lock(mutex_);
  expected_.emplace(number,
                    Expected{context_.strand(strand), std::make_shared<Taker>(std::move(taker)), is_call});
  return number;
}

void ChildHost::question(Encoder& out, const Encoder& fallback) {
  if (!send(out)) deliver_answer(fallback.frame());
}

void ChildHost::deliver_answer(const std::string& frame) {
  Decoder in(frame);
  in.kind();
  Expected expected;
  {
    const std::lock_guard lock(mutex_);
    const auto at = expected_.find(in.u64());
    if (at == expected_.end()) return;
    expected = std::move(at->second);
    expected_.erase(at);
  }
  context_.deliver(expected.strand, [this, taker = expected.taker, frame] {
    Decoder rest(frame);
    rest.kind();
    rest.u64();
    (*taker)(rest);
    context_.wait_ended();
  });
}

void ChildHost::cancel_calls() {
  std::vector<uint64_t> calls;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, expected] : expected_) {
      if (expected.is_call) calls.push_back(number);
    }
  }
  for (const uint64_t number : calls) {
    Encoder cancelled(Kind::reply);
    deliver_answer(
        cancelled.u64(number).u32(static_cast<uint32_t>(PB_E_CANCELLED)).str("the plugin stops").frame());
  }
}

uint64_t ChildHost::open_registration(Ref<RemoteRegistration> what, Kind kind, const std::string& rest,
                                      pb_err* err) {
  const uint64_t number = next_number();
  {
    // Known before the server can call.
    const std::lock_guard lock(mutex_);
    registrations_.emplace(number, std::move(what));
  }
  const uint64_t handle = handle_of(ask(number, kind, rest, -1), err);
  const std::lock_guard lock(mutex_);
  if (handle == 0) {
    registrations_.erase(number);
    return 0;
  }
  numbers_[handle] = number;
  return handle;
}

void ChildHost::close_registration(uint32_t function, uint64_t handle, pb_fn done, void* user) {
  Ref<RemoteRegistration> what;
  {
    const std::lock_guard lock(mutex_);
    const auto at = numbers_.find(handle);
    if (at == numbers_.end()) return;
    what = std::move(registrations_[at->second]);
    registrations_.erase(at->second);
    numbers_.erase(at);
  }
  send(Encoder(Kind::host_call).u64(0).u32(function).u64(handle));
  what->close(done, user);
}

uint64_t ChildHost::add_port(std::unique_ptr<ChildPort> port, const std::string& rest, int bell) {
  const uint64_t number = next_number();
  const uint64_t handle = handle_of(ask(number, Kind::port_create, rest, bell), nullptr);
  if (handle == 0) return 0;
  port->begin(&context_, child_media());
  const std::lock_guard lock(mutex_);
  numbers_[handle] = number;
  ports_[number] = std::move(port);
  return handle;
}

void ChildHost::close_port(uint64_t handle, pb_fn done, void* user) {
  const std::lock_guard lock(mutex_);
  const auto at = numbers_.find(handle);
  if (at == numbers_.end() || ports_.count(at->second) == 0) return;
  ports_[at->second]->done = done;
  ports_[at->second]->user = user;
  send(Encoder(Kind::host_call).u64(0).u32(function_number(&pb_media::port_close)).u64(handle));
  numbers_.erase(at);
}

uint64_t ChildHost::open_port(uint64_t handle, const pb_port** table, void** self) {
  Ref<Port> port;
  {
    const std::lock_guard lock(mutex_);
    const auto number = numbers_.find(handle);
    const auto at = number == numbers_.end() ? ports_.end() : ports_.find(number->second);
    if (at != ports_.end()) port = at->second->port();
  }
  const uint64_t opening = port ? context_.services().media.open(&context_, port) : 0;
  if (opening == 0) return 0;
  *table = port->table();
  *self = port->self();
  return opening;
}

void ChildHost::port_closed(uint64_t number) {
  std::unique_ptr<ChildPort> port;
  {
    const std::lock_guard lock(mutex_);
    const auto at = ports_.find(number);
    if (at == ports_.end()) return;
    port = std::move(at->second);
    ports_.erase(at);
  }
  port.release()->end();
}

uint64_t ChildHost::interface_number(const pb_interface* interface) {
  const std::lock_guard lock(mutex_);  // while sending, too: the description goes before any call by it
  const auto at = interface_numbers_.find(interface);
  if (at != interface_numbers_.end()) return at->second;
  const uint64_t tag = next_number();
  interface_numbers_[interface] = tag;
  Encoder out(Kind::describe);
  out.u64(tag);
  put_interface(out, *interface);
  send(out);
  return tag;
}

uint64_t ChildHost::outgoing(uint64_t handle) {
  if ((handle & kBegunByChild) != 0) transactions_.share(handle);
  return handle;
}

bool ChildHost::admit(size_t bytes) noexcept {
  if (waiting_ >= kMaxWaitingCallbacks || waiting_bytes_ + bytes > kMaxWaitingCallbackBytes) return false;
  ++waiting_;
  waiting_bytes_ += bytes;
  return true;
}

void ChildHost::processed(size_t bytes) noexcept {
  --waiting_;
  waiting_bytes_ -= bytes;
}

std::string ChildHost::under_way() const {
  size_t answers = 0;
  {
    const std::lock_guard lock(mutex_);
    answers = expected_.size();
  }
  const auto all = static_cast<size_t>(std::max<int64_t>(context_.outstanding(), 0));
  std::string text;
  const auto add = [&](size_t count, const char* one, const char* many) {
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + (count > 1 ? many : one);
  };
  add(answers, "answer of the server", "answers of the server");
  add(all > answers ? all - answers : 0, "job on a worker or answer on its strand",
      "jobs on workers or answers on their strands");
  return text;
}

bool ChildHost::take(const std::string& frame) {
  Decoder in(frame);
  const Kind kind = in.kind();
  switch (kind) {
    case Kind::answer:
      answered(in);
      return true;
    case Kind::reply:
    case Kind::result:
      deliver_answer(frame);
      return true;
    case Kind::port_closed:
      port_closed(in.u64());
      return true;
    case Kind::call:
    case Kind::callback:
      break;
    default:
      return false;
  }
  const uint64_t call = kind == Kind::call ? in.u64() : 0;
  const uint64_t number = in.u64();
  Ref<RemoteRegistration> what;
  {
    const std::lock_guard lock(mutex_);
    const auto at = registrations_.find(number);
    if (at != registrations_.end()) what = at->second;
  }
  const auto refuse = [&](int32_t status, const char* text) {
    if (kind == Kind::call) send(Encoder(Kind::reply).u64(call).u32(static_cast<uint32_t>(status)).str(text));
  };
  if (!what) {
    refuse(PB_E_GONE, "withdrawn");
  } else if (what->is_small() || admit(frame.size())) {
    what->take(frame);
  } else {
    refuse(PB_E_EXHAUSTED, "the plugin does not keep up with its calls");
  }
  return true;
}

}  // namespace patchbay::core::isolation
