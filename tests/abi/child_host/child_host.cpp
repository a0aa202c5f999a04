#include "child_host.h"

#include <patchbay/str.h>

#include <chrono>
#include <utility>

#include "child_port.h"

namespace patchbay::isolated {
namespace {

constexpr auto kMostWait = std::chrono::seconds(10);
ChildHost* the_host = nullptr;

}  // namespace

void Listening::take(std::string frame) {
  strand().post([self = core::Ref<Listening>(this), frame = std::move(frame)] {
    Decoder in(frame);
    in.kind();
    if (self->open()) {
      self->run(in);
    } else {
      self->refuse(in);
    }
  });
}

ChildHost::ChildHost(int fd, core::HostParts& parts, const std::string& id)
    : context_(parts, id), raw_{sizeof(pb_host), PB_ABI_MINOR, &context_, &ChildHost::query}, channel_(fd) {
  the_host = this;
}

ChildHost::~ChildHost() = default;

ChildHost& ChildHost::get() noexcept { return *the_host; }

const void* ChildHost::query(void* self, pb_str id, uint32_t min_size) noexcept {
  const std::pair<const char*, const void*> ours[] = {
      {PB_BUS_ID, &child_bus()},         {PB_SERVICES_ID, &child_services()}, {PB_MEDIA_ID, &child_media()},
      {PB_OBSERVE_ID, &child_observe()}, {PB_STORE_ID, &child_store()},
  };
  for (const auto& [name, table] : ours) {
    if (from_abi(id) == name) return *static_cast<const uint32_t*>(table) >= min_size ? table : nullptr;
  }
  const pb_host* local = core::HostContext::of(self).raw();
  return local->query(local->self, id, min_size);
}

uint64_t ChildHost::request(Kind kind, const std::string& rest, pb_err* err, int fd) {
  const uint64_t seq = next_tag();
  {
    const std::lock_guard lock(mutex_);
    answers_[seq];
  }
  if (!channel_.send(Encoder(kind).u64(seq).frame() + rest, fd)) {
    write_error(err, Code::exhausted, "too large for a plugin in a child process");
  }
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, kMostWait, [&] { return answers_[seq].there; });
  const Answer answer = answers_[seq];
  answers_.erase(seq);
  if (!answer.there) {
    write_error(err, Code::gone, "the server does not answer");
  } else if (answer.value == 0) {
    write_error(err, static_cast<Code>(answer.status), answer.text);
  }
  return answer.value;
}

void ChildHost::answer(Decoder& in) {
  const uint64_t seq = in.u64();
  Answer answer{true, in.u64(), static_cast<int32_t>(in.u32()), {}};
  answer.text = in.str();
  const std::lock_guard lock(mutex_);
  const auto at = answers_.find(seq);
  if (at == answers_.end()) return;
  at->second = std::move(answer);
  answered_.notify_all();
}

uint64_t ChildHost::listen(core::Ref<Listening> what, uint64_t tag, Kind kind, const std::string& rest,
                           pb_err* err) {
  {
    // Known before the parent can call.
    const std::lock_guard lock(mutex_);
    listening_.emplace(tag, std::move(what));
  }
  const uint64_t handle = request(kind, rest, err);
  const std::lock_guard lock(mutex_);
  if (handle == 0) {
    listening_.erase(tag);
    return 0;
  }
  tags_[handle] = tag;
  return handle;
}

void ChildHost::unlisten(uint64_t handle, pb_fn done, void* user) {
  core::Ref<Listening> what;
  uint64_t tag = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto at = tags_.find(handle);
    if (at == tags_.end()) return;
    tag = at->second;
    tags_.erase(at);
    what = std::move(listening_[tag]);
    listening_.erase(tag);
  }
  send(Encoder(Kind::close).u64(tag));
  what->close(done, user);
}

uint64_t ChildHost::add_port(std::unique_ptr<ChildPort> port, uint64_t tag, const std::string& rest) {
  const uint64_t handle = request(Kind::port_create, rest, nullptr, port->ring().fd());
  if (handle == 0) return 0;
  port->begin(&context_, child_media());
  const std::lock_guard lock(mutex_);
  tags_[handle] = tag;
  ports_[tag] = std::move(port);
  return handle;
}

void ChildHost::close_port(uint64_t handle, pb_fn done, void* user) {
  const std::lock_guard lock(mutex_);
  const auto at = tags_.find(handle);
  if (at == tags_.end() || ports_.count(at->second) == 0) return;
  ports_[at->second]->done = done;
  ports_[at->second]->user = user;
  send(Encoder(Kind::close).u64(at->second));
  tags_.erase(at);
}

uint64_t ChildHost::interface_tag(const pb_interface* interface) {
  const std::lock_guard lock(mutex_);  // while sending, too: the description goes before any call by it
  const auto at = interface_tags_.find(interface);
  if (at != interface_tags_.end()) return at->second;
  const uint64_t tag = next_tag();
  interface_tags_[interface] = tag;
  Encoder out(Kind::describe);
  out.u64(tag);
  put_interface(out, *interface);
  send(out);
  return tag;
}

void ChildHost::call(uint64_t lease, const pb_interface* caller, uint32_t slot, const pb_message* request,
                     uint64_t strand, pb_reply_fn fn, void* user) {
  if (slot >= caller->method_count) {
    if (fn != nullptr)
      give({context_.strand(strand), fn, user, nullptr}, PB_E_UNSUPPORTED, "no such method", {});
    return;
  }
  const pb_method& method = *caller->methods[slot];
  const uint64_t number = fn != nullptr ? next_tag() : 0;
  Encoder out(Kind::call);
  out.u64(number).u64(lease).u64(interface_tag(caller)).u32(slot);
  put_message(out, *method.request, request);
  const Outgoing call{context_.strand(strand), fn, user, method.reply};
  if (number != 0) {
    const std::lock_guard lock(mutex_);
    calls_.emplace(number, call);
  }
  if (send(out) || number == 0) return;
  {
    const std::lock_guard lock(mutex_);
    calls_.erase(number);
  }
  give(call, PB_E_EXHAUSTED, "too large for a plugin in a child process", {});
}

void ChildHost::replied(const std::string& frame) {
  Decoder in(frame);
  in.kind();
  Outgoing call;
  {
    const std::lock_guard lock(mutex_);
    const auto at = calls_.find(in.u64());
    if (at == calls_.end()) return;
    call = at->second;
    calls_.erase(at);
  }
  const auto status = static_cast<int32_t>(in.u32());
  std::string text(in.str());
  auto reply = std::make_shared<OwnedMessage>();
  if (status == PB_OK) *reply = get_message(in, *call.reply);
  give(call, status, std::move(text), reply);
}

void ChildHost::abandon_calls() {
  std::map<uint64_t, Outgoing> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(calls_);
  }
  for (const auto& [number, call] : left) give(call, PB_E_CANCELLED, "the plugin stops", {});
}

void ChildHost::give(const Outgoing& call, int32_t status, std::string text,
                     const std::shared_ptr<OwnedMessage>& reply) {
  context_.deliver(call.strand, [fn = call.fn, user = call.user, status, text = std::move(text), reply] {
    pb_err err = empty_error();
    if (status != PB_OK) write_error(&err, static_cast<Code>(status), text);
    fn(user, status, status == PB_OK && reply ? reply->get() : nullptr, status == PB_OK ? nullptr : &err);
  });
}

bool ChildHost::take(const std::string& frame) {
  Decoder in(frame);
  const Kind kind = in.kind();
  if (kind == Kind::answer) {
    answer(in);
    return true;
  }
  if (kind == Kind::reply) {
    replied(frame);
    return true;
  }
  if (kind == Kind::closed) {
    std::unique_ptr<ChildPort> port;
    {
      const std::lock_guard lock(mutex_);
      const auto at = ports_.find(in.u64());
      if (at == ports_.end()) return true;
      port = std::move(at->second);
      ports_.erase(at);
    }
    port.release()->end(&context_, child_media());  // frees itself
    return true;
  }
  if (kind != Kind::call && kind != Kind::event && kind != Kind::watched) return false;
  const uint64_t call = kind == Kind::call ? in.u64() : 0;
  const uint64_t tag = in.u64();
  core::Ref<Listening> what;
  {
    const std::lock_guard lock(mutex_);
    const auto at = listening_.find(tag);
    if (at != listening_.end()) what = at->second;
  }
  if (what) {
    what->take(frame);
  } else if (kind == Kind::call) {
    send(Encoder(Kind::reply).u64(call).u32(static_cast<uint32_t>(PB_E_GONE)).str("withdrawn"));
  }
  return true;
}

}  // namespace patchbay::isolated
