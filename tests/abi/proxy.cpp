#include "proxy.h"

#include <patchbay/host.h>
#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "message_wire.h"
#include "plugins/elf_file.h"
#include "plugins/plugin_source.h"
#include "proxy_port.h"
#include "proxy_process.h"

namespace patchbay::isolated {
namespace {

struct Place {
  std::string plugin_file;
  std::string child_host;
  std::string manifest;
  std::string store;
  pb_entry entry{};
};

std::mutex places_mutex;
std::map<std::string, Place, std::less<>> places;  // by plugin id; guarded by places_mutex

constexpr int64_t kStopMs = 5000;

// Everything runs on the plugin's main strand, but the functions that only send.
class Proxy {
 public:
  Proxy(const Host& host, const Place& place) : place_(place), host_(host), killer_(host_) {}

  void start(std::string_view config, Done done) {
    auto process = ProxyProcess::spawn(
        place_.child_host, place_.plugin_file, std::string(host_.plugin_id()),
        [this](std::string frame, int fd) {
          post(host_, kMainStrand, [this, frame = std::move(frame), fd] { take(frame, fd); });
        },
        [this](int status) { post(host_, kMainStrand, [this, status] { ended(status); }); });
    if (!process) return done(process.error());
    process_ = std::move(*process);
    waiting_ = std::make_unique<Done>(std::move(done));
    Encoder out(Kind::start);
    out.str(config);
    for (uint32_t level = PB_LOG_DEBUG; level <= PB_LOG_ERROR; ++level)
      out.u32(host_.observe->log_enabled(host_.self, level) != 0 ? 1 : 0);
    send(out);
  }
  void drain(Done done) { ask(Kind::drain, std::move(done)); }
  void stop(Done done) {
    stopping_ = true;
    ask(Kind::stop, std::move(done));
    if (process_) killer_.after_ms(kStopMs, [this] { process_->kill(); });
  }

 private:
  // What the child has offered or asked to be told, by its tag. Freed when the core is done with it.
  struct Held {
    Proxy* proxy;
    uint64_t tag;
    uint64_t handle = 0;
    const pb_interface* interface = nullptr;  // of an instance
    Kind kind = Kind::provide;
    std::unique_ptr<ProxyPort> port;
  };
  struct Waiting {
    pb_completion* completion;
    const pb_shape* reply;
  };
  struct Outgoing {
    Proxy* proxy;
    uint64_t call;
    const pb_shape* reply;
  };

  bool send(const Encoder& out) { return process_ && process_->send(out.frame()); }

  void ask(Kind kind, Done done) {
    if (!process_) return done();
    waiting_ = std::make_unique<Done>(std::move(done));
    send(Encoder(kind));
  }
  void settle(const Status& status) {
    if (const auto done = std::move(waiting_)) (*done)(status);
  }

  void ended(int status) {
    killer_.cancel();
    process_.reset();
    for (const auto& [call, waiting] : std::exchange(calls_, {}))
      waiting.completion->complete(waiting.completion, PB_E_GONE, nullptr, nullptr);
    while (!held_.empty()) close(held_.begin()->first, false);
    for (const uint64_t lease : std::exchange(leases_, {})) host_.services->unlease(host_.self, lease);
    const bool clean = stopped_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!clean && !stopping_) log(PB_LOG_ERROR, "the plugin's process has ended");
    if (!refused_) return settle(refused_);
    if (clean) return settle({});
    settle({Code::unavailable, WIFSIGNALED(status)
                                   ? "its process was ended by signal " + std::to_string(WTERMSIG(status))
                                   : "its process ended with code " + std::to_string(WEXITSTATUS(status))});
  }

  void log(uint32_t level, std::string_view text) const {
    host_.observe->log(host_.self, level, {}, to_abi(text), nullptr, 0);
  }

  // --- frames of the child ---

  void take(const std::string& frame, int fd) {
    Decoder in(frame);
    const Kind kind = in.kind();
    if (kind == Kind::port_create) return create_port(in, fd);
    if (fd >= 0) ::close(fd);
    switch (kind) {
      case Kind::started:
        return started(status_of(in));
      case Kind::drained:
        return settle(status_of(in));
      case Kind::stopped:
        stopped_ = true;
        return process_ ? process_->finish() : void();
      case Kind::provide:
        return provide(in);
      case Kind::query:
      case Kind::open:
        return lease(kind, in);
      case Kind::subscribe:
        return subscribe(in);
      case Kind::watch:
        return watch(in);
      case Kind::close:
        return close(in.u64(), true);
      case Kind::unlease:
        return unlease(in.u64());
      case Kind::describe: {
        const uint64_t tag = in.u64();
        interfaces_[tag] = get_interface(in);
        return;
      }
      case Kind::call:
        return call(in);
      case Kind::reply:
        return reply(in);
      case Kind::event: {
        in.u64();
        const pb_event event = get_event(in);
        if (in.ok()) host_.bus->publish(host_.self, &event);
        return;
      }
      case Kind::log:
        return write_log(in);
      case Kind::secret: {
        const uint32_t add = in.u32();
        const pb_str value = to_abi(in.str());
        return add != 0 ? host_.observe->secret_add(host_.self, value)
                        : host_.observe->secret_forget(host_.self, value);
      }
      default:
        return;
    }
  }

  // A plugin that did not start is destroyed without a stop: its process goes first.
  void started(const Status& status) {
    if (status) return settle({});
    refused_ = status;
    stopping_ = true;
    if (process_) process_->finish();
  }

  static Status status_of(Decoder& in) {
    const auto code = static_cast<int32_t>(in.u32());
    const std::string text(in.str());
    if (code == PB_OK && in.ok()) return {};
    return {static_cast<Code>(code), text};
  }

  void answer(uint64_t seq, uint64_t value, const pb_err& err) {
    send(Encoder(Kind::answer).u64(seq).u64(value).u32(static_cast<uint32_t>(err.code)).str(err.text));
  }
  // Answers a request that made something, and keeps it.
  void keep(uint64_t seq, std::unique_ptr<Held> held, const pb_err& err) {
    answer(seq, held->handle, err);
    if (held->handle != 0) held_[held->tag] = std::move(held);
  }
  std::unique_ptr<Held> make(Kind kind, uint64_t tag) {
    auto held = std::make_unique<Held>();
    held->proxy = this;
    held->tag = tag;
    held->kind = kind;
    return held;
  }

  void provide(Decoder& in) {
    const uint64_t seq = in.u64();
    auto held = make(Kind::provide, in.u64());
    const int32_t is_public = in.u32() != 0 ? 1 : 0;
    pb_err err = empty_error();
    held->interface = get_interface(in);
    if (held->interface == nullptr) {
      write_error(&err, Code::invalid, "not an interface");
    } else {
      held->handle = host_.services->provide(host_.self, held->interface, is_public, kMainStrand, &Proxy::run,
                                             held.get(), &err);
    }
    keep(seq, std::move(held), err);
  }

  void subscribe(Decoder& in) {
    const uint64_t seq = in.u64();
    auto held = make(Kind::subscribe, in.u64());
    pb_subscription what{};
    what.size = sizeof what;
    what.pattern = to_abi(in.str());
    what.tenant = to_abi(in.str());
    what.queue_max = in.u32();
    what.policy = in.u32();
    pb_err err = empty_error();
    held->handle = host_.bus->subscribe(host_.self, &what, &Proxy::deliver, held.get(), &err);
    keep(seq, std::move(held), err);
  }

  void watch(Decoder& in) {
    const uint64_t seq = in.u64();
    auto held = make(Kind::watch, in.u64());
    const pb_str id = to_abi(in.str());
    held->handle = host_.services->watch(host_.self, id, kMainStrand, &Proxy::tell, held.get());
    keep(seq, std::move(held), empty_error());
  }

  void create_port(Decoder& in, int fd) {
    const uint64_t seq = in.u64();
    auto held = make(Kind::port_create, in.u64());
    const uint32_t pull_rate_hz = in.u32();
    const uint32_t push_rate_hz = in.u32();
    pb_err err = empty_error();
    auto ring = Ring::map(fd);
    if (ring) {
      held->port = std::make_unique<ProxyPort>(host_, std::move(*ring), pull_rate_hz, push_rate_hz);
      held->handle = held->port->handle();
    } else {
      write_error(&err, ring.error().code, ring.error().text);
    }
    keep(seq, std::move(held), err);
  }

  void lease(Kind kind, Decoder& in) {
    const uint64_t seq = in.u64();
    const uint64_t handle = kind == Kind::open ? in.u64() : 0;
    const pb_str id = to_abi(in.str());
    const uint64_t lease = kind == Kind::open ? host_.services->open(host_.self, handle, id)
                                              : host_.services->query(host_.self, id);
    if (lease != 0) leases_.push_back(lease);
    answer(seq, lease, empty_error());
  }
  void unlease(uint64_t lease) {
    const auto at = std::find(leases_.begin(), leases_.end(), lease);
    if (at == leases_.end()) return;
    leases_.erase(at);
    host_.services->unlease(host_.self, lease);
  }

  void close(uint64_t tag, bool by_child) {
    const auto at = held_.find(tag);
    if (at == held_.end()) return;
    Held* held = at->second.release();
    held_.erase(at);
    const pb_fn done = [](void* user) noexcept { delete static_cast<Held*>(user); };
    switch (held->kind) {
      case Kind::subscribe:
        return host_.bus->unsubscribe(host_.self, held->handle, done, held);
      case Kind::watch:
        return host_.services->unwatch(host_.self, held->handle, done, held);
      case Kind::port_create:
        return held->port->close([held,
                                  told = alive_.bind([this, tag] { send(Encoder(Kind::closed).u64(tag)); }),
                                  by_child]() mutable {
          if (by_child) told();
          delete held;
        });
      default:
        return host_.services->withdraw(host_.self, held->handle, done, held);
    }
  }

  void call(Decoder& in) {
    const uint64_t number = in.u64();
    const uint64_t lease = in.u64();
    const pb_interface* interface = interfaces_[in.u64()];
    const uint32_t slot = in.u32();
    if (interface == nullptr || slot >= interface->method_count) return;
    const pb_method& method = *interface->methods[slot];
    const OwnedMessage request = get_message(in, *method.request);
    if (!in.ok()) return;
    auto* outgoing = number != 0 ? new Outgoing{this, number, method.reply} : nullptr;
    host_.services->call(host_.self, lease, interface, slot, request.get(), kMainStrand,
                         outgoing != nullptr ? &Proxy::answered : nullptr, outgoing);
  }

  void reply(Decoder& in) {
    const auto at = calls_.find(in.u64());
    if (at == calls_.end()) return;
    const Waiting waiting = at->second;
    calls_.erase(at);
    pb_err err = empty_error();
    const auto code = static_cast<int32_t>(in.u32());
    write_error(&err, static_cast<Code>(code), in.str());
    const OwnedMessage message = code == PB_OK ? get_message(in, *waiting.reply) : OwnedMessage();
    waiting.completion->complete(waiting.completion, in.ok() ? code : PB_E_FAILED, message.get(), &err);
  }

  void write_log(Decoder& in) {
    const uint32_t level = in.u32();
    const pb_str correlation = to_abi(in.str());
    const pb_str text = to_abi(in.str());
    std::vector<pb_pair> fields;
    for (uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
      const pb_str key = to_abi(in.str());
      fields.push_back({key, to_abi(in.str())});
    }
    host_.observe->log(host_.self, level, correlation, text, fields.data(),
                       static_cast<uint32_t>(fields.size()));
  }

  // --- calls of the core ---

  static int32_t run(void* self, uint32_t slot, const pb_message* request, pb_completion* completion,
                     pb_err* err) noexcept {
    const auto& held = *static_cast<Held*>(self);
    Proxy& proxy = *held.proxy;
    const pb_method& method = *held.interface->methods[slot];
    const uint64_t number = ++proxy.last_call_;
    Encoder out(Kind::call);
    out.u64(number).u64(held.tag).u32(slot);
    put_message(out, *method.request, request);
    if (!proxy.process_) return write_error(err, Code::gone, "its process has ended");
    if (!proxy.send(out))
      return write_error(err, Code::exhausted, "too large for a plugin in a child process");
    proxy.calls_[number] = {completion, method.reply};
    return PB_OK;
  }
  static void answered(void* user, int32_t status, const pb_message* message, const pb_err* err) noexcept {
    const std::unique_ptr<Outgoing> call(static_cast<Outgoing*>(user));
    const auto head = [&](int32_t code, std::string_view text) {
      Encoder out(Kind::reply);
      out.u64(call->call).u32(static_cast<uint32_t>(code)).str(text);
      return out;
    };
    Encoder out = head(status, err != nullptr ? err->text : "");
    put_message(out, *call->reply, message);
    if (!call->proxy->process_ || call->proxy->send(out)) return;
    call->proxy->send(head(PB_E_EXHAUSTED, "the reply is too large for a plugin in a child process"));
  }
  static void deliver(void* user, const pb_event* event) noexcept {
    const auto& held = *static_cast<Held*>(user);
    Encoder out(Kind::event);
    out.u64(held.tag);
    put_event(out, *event);
    held.proxy->send(out);
  }
  static void tell(void* user, int32_t up) noexcept {
    const auto& held = *static_cast<Held*>(user);
    held.proxy->send(Encoder(Kind::watched).u64(held.tag).u32(up != 0 ? 1 : 0));
  }

  // borrowed
  const Place& place_;
  // owned
  const Host host_;
  Timer killer_;
  std::unique_ptr<ProxyProcess> process_;  // none once it has ended
  std::map<uint64_t, std::unique_ptr<Held>> held_;
  std::map<uint64_t, const pb_interface*> interfaces_;
  std::vector<uint64_t> leases_;
  // state
  std::map<uint64_t, Waiting> calls_;
  uint64_t last_call_ = 0;
  std::unique_ptr<Done> waiting_;  // start, drain or stop
  bool stopping_ = false;
  bool stopped_ = false;
  Status refused_;
  Lifetime alive_;
};

Proxy& proxy_of(void* self) { return *static_cast<Proxy*>(self); }

constexpr pb_plugin kTable{sizeof(pb_plugin), 0,
                           [](void* self, pb_str config, const pb_done* done) noexcept {
                             proxy_of(self).start(from_abi(config), Done(done));
                           },
                           // The answer would be needed before this returns, and nobody may wait on a strand.
                           [](void*, pb_str, pb_err* err) noexcept {
                             return write_error(err, Code::unsupported, "needs a restart");
                           },
                           [](void*, pb_str) noexcept {},
                           [](void* self, const pb_done* done) noexcept { proxy_of(self).drain(Done(done)); },
                           [](void* self, const pb_done* done) noexcept { proxy_of(self).stop(Done(done)); },
                           [](void* self) noexcept { delete static_cast<Proxy*>(self); }};

int32_t create(const pb_host* raw, const pb_plugin** table, void** self, pb_err* err) noexcept {
  auto host = Host::open(raw);
  if (!host) return write_error(err, host.error().code, host.error().text);
  const std::lock_guard lock(places_mutex);
  *table = &kTable;
  *self = std::make_unique<Proxy>(*host, places.find(host->plugin_id())->second).release();
  return PB_OK;
}

}  // namespace

Result<const pb_entry*> isolated_entry(const std::string& plugin_file, const std::string& child_host) {
  PB_TRY_VALUE(const auto elf, core::ElfFile::read(plugin_file));
  PB_TRY_VALUE(const auto source, core::read_plugin_file(plugin_file));
  const std::lock_guard lock(places_mutex);
  Place& place = places[source.manifest.id];
  place = {plugin_file,
           child_host,
           std::string(elf.section(".patchbay_manifest").value_or("")),
           source.store_sql,
           {}};
  place.entry = {PB_MAGIC, sizeof(pb_entry),       PB_ABI_MAJOR,        PB_ABI_MINOR,
                 0,        to_abi(place.manifest), to_abi(place.store), &create};
  return &place.entry;
}

}  // namespace patchbay::isolated
