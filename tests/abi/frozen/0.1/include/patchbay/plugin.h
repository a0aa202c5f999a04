// Plugin: the base class of plugins in C++, and PATCHBAY_PLUGIN, which exports one.
//
//   class Hello final : public patchbay::Plugin {
//     patchbay::Status start(const patchbay::Config& config) override { ... }
//   };
//   PATCHBAY_PLUGIN(Hello)
//
// Every function is called on the plugin's main strand. Put the class in an anonymous namespace or in a
// namespace of the plugin.
#pragma once

#include <atomic>
#include <memory>

#include "config.h"
#include "guard.h"
#include "host.h"
#include "log.h"
#include "strand.h"

// patchbay_add_plugin defines these for the plugin's sources: the names of the exported entry and of the
// embedded manifest and SQL, and their sizes. Without them (a unit test that includes a plugin's header)
// nothing is exported.
#ifdef PATCHBAY_PLUGIN_SYMBOL
extern "C" const char PATCHBAY_MANIFEST_DATA[];
extern "C" const char PATCHBAY_STORE_DATA[];
#endif

namespace patchbay {

// Completes a lifecycle call, once, from any thread. Its destructor completes it with "ok", or with an error
// during the unwinding of an exception.
class Done {
 public:
  explicit Done(const pb_done* done) : done_(*done), armed_(true) {}
  Done(Done&& other) noexcept : done_(other.done_), armed_(std::exchange(other.armed_, false)) {}
  Done& operator=(Done&&) = delete;
  ~Done() {
    if (thrown_since_made())
      (*this)({Code::failed, "it threw an exception; the log says which"});
    else
      (*this)();
  }
  void operator()(const Status& status = {}) noexcept {
    if (!std::exchange(armed_, false)) return;
    pb_err err = empty_error();
    if (!status) write_error(&err, status.error().code, status.error().text);
    done_.call(done_.self, status ? PB_OK : static_cast<int32_t>(status.error().code),
               status ? nullptr : &err);
  }

 private:
#if PB_EXCEPTIONS
  bool thrown_since_made() const noexcept { return armed_ && std::uncaught_exceptions() > throwing_; }
  int throwing_ = std::uncaught_exceptions();
#else
  bool thrown_since_made() const noexcept { return false; }
#endif
  pb_done done_;
  bool armed_;
};

namespace detail {
// The host of the plugin that is being constructed on this thread.
inline thread_local const Host* host_of_new_plugin = nullptr;
}  // namespace detail

class Plugin {
 public:
  // Members may already use host() and log() in their initialisers: Service<X> x_{host()};
  Plugin() {
    if (detail::host_of_new_plugin != nullptr)
      bind(std::make_unique<const Host>(*detail::host_of_new_plugin));
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  virtual ~Plugin() = default;

  // Starts the plugin: registers services, opens ports. After an error the plugin is destroyed.
  virtual Status start(const Config& config) = 0;
  // Called after a successful start(), for plugins that have to wait for something (a row, a file) before
  // they are ready: call done() then.
  virtual void finish_start(Done done) { done(); }
  // Checks whether the plugin would accept this configuration, without side effects. Code::unsupported: a
  // change needs a restart. Called before each reload, and before a server starts on an instance that is
  // never started and can use only host().
  virtual Status check_config(const Config& /*config*/) { return {Code::unsupported, "needs a restart"}; }
  // Applies a configuration, which check_config() has accepted just before.
  virtual void reconfigure(const Config& /*config*/) {}
  // Accepts no new work, and calls done() when running work has ended.
  virtual void drain(Done done) { done(); }
  // Closes everything that the destructors of members do not close.
  virtual void stop(Done done) { done(); }

  const Host& host() const noexcept { return *host_; }
  const Log& log() const noexcept { return *log_; }

  // For unit tests, where no host constructs the plugin.
  void bind(std::unique_ptr<const Host> host) {
    host_ = std::move(host);
    log_ = std::make_unique<Log>(*host_);
  }

 private:
  std::unique_ptr<const Host> host_;
  std::unique_ptr<Log> log_;
};

namespace detail {

// The functions of pb_plugin, forwarded to a Plugin. `self` is a PluginBox, so that the author's object is
// destroyed in destroy, on the strand, while host and tables still live.
struct PluginBox {
  const pb_host* raw = nullptr;
  pb_done started{};  // called once, whether finish_start() calls done(), drops it or throws
  std::atomic<bool> start_answered{false};
  std::unique_ptr<Plugin> plugin;
};

inline Plugin& plugin_of(void* self) noexcept { return *static_cast<PluginBox*>(self)->plugin; }

inline Result<Config> read_config(void* self, pb_str text) {
  PB_TRY_VALUE(Json doc, plugin_of(self).host().parse_json(from_abi(text)));
  return Config(std::move(doc));
}

inline void answer_start(void* self, int32_t status, const pb_err* err) noexcept {
  auto& box = *static_cast<PluginBox*>(self);
  if (!box.start_answered.exchange(true)) box.started.call(box.started.self, status, err);
}

inline void plugin_start(void* self, pb_str text, const pb_done* raw) noexcept {
  static_cast<PluginBox*>(self)->started = *raw;
  const pb_done once{sizeof(pb_done), 0, self, &answer_start};
  Done done(&once);
  pb_err err = empty_error();
  Status status;
  const int32_t code = guard(&err, [&] {
    auto config = read_config(self, text);
    status = config ? plugin_of(self).start(*config) : Status(config.error());
    return PB_OK;
  });
  if (code != PB_OK) return done(read_error(code, &err));
  if (!status) return done(status);
  // finish_start() may have moved `done` elsewhere before it threw; completing that one is then a no-op.
  guard_void([&] { plugin_of(self).finish_start(std::move(done)); },
             [&](const char* what) {
               plugin_of(self).host().log_thrown("start", what);
               Done failed(&once);
               failed({Code::failed, "it threw an exception; the log says which"});
             });
}

inline int32_t plugin_check(void* self, pb_str text, pb_err* err) noexcept {
  return guard(err, [&] {
    auto config = read_config(self, text);
    const Status status = config ? plugin_of(self).check_config(*config) : Status(config.error());
    return status ? PB_OK : write_error(err, status.error().code, status.error().text);
  });
}

inline void plugin_reconfigure(void* self, pb_str text) noexcept {
  guard_void(
      [&] {
        auto config = read_config(self, text);
        if (config) plugin_of(self).reconfigure(*config);
      },
      [&](const char* what) { plugin_of(self).host().log_thrown("reconfigure", what); });
}

inline void plugin_drain(void* self, const pb_done* raw) noexcept {
  guard_void([&] { plugin_of(self).drain(Done(raw)); },
             [&](const char* what) { plugin_of(self).host().log_thrown("drain", what); });
}

inline void plugin_stop(void* self, const pb_done* raw) noexcept {
  guard_void([&] { plugin_of(self).stop(Done(raw)); },
             [&](const char* what) { plugin_of(self).host().log_thrown("stop", what); });
}

inline void plugin_destroy(void* self) noexcept { delete static_cast<PluginBox*>(self); }

inline constexpr pb_plugin kPluginTable{
    sizeof(pb_plugin), 0, &plugin_start, &plugin_check, &plugin_reconfigure, &plugin_drain, &plugin_stop,
    &plugin_destroy};

struct NewPluginScope {
  explicit NewPluginScope(const Host& host) { host_of_new_plugin = &host; }
  NewPluginScope(const NewPluginScope&) = delete;
  NewPluginScope& operator=(const NewPluginScope&) = delete;
  ~NewPluginScope() { host_of_new_plugin = nullptr; }
};

template <class T>
int32_t plugin_create(const pb_host* raw, const pb_plugin** table, void** self, pb_err* err) noexcept {
  return guard(err, [&] {
    auto host = Host::open(raw);
    if (!host) return write_error(err, host.error().code, host.error().text);
    auto box = std::make_unique<PluginBox>();
    box->raw = raw;
    const NewPluginScope scope(*host);
    box->plugin = std::make_unique<T>();
    *table = &kPluginTable;
    *self = box.release();
    return PB_OK;
  });
}

}  // namespace detail

// The entry of a plugin that is compiled into the program that links the core. T has
// `static constexpr char manifest[]`; `store_sql` must be static, too.
template <class T>
constexpr pb_entry linked_entry(std::string_view store_sql = {}) {
  return {PB_MAGIC,
          sizeof(pb_entry),
          PB_ABI_MAJOR,
          PB_ABI_MINOR,
          0,
          {T::manifest, sizeof T::manifest - 1},
          {store_sql.data(), store_sql.size()},
          &detail::plugin_create<T>};
}

}  // namespace patchbay

#define PATCHBAY_PLUGIN(Class)                                                               \
  extern "C" __attribute__((visibility("default"), used))                                    \
  const pb_entry PATCHBAY_PLUGIN_SYMBOL = {PB_MAGIC,                                         \
                                           sizeof(pb_entry),                                 \
                                           PB_ABI_MAJOR,                                     \
                                           PB_ABI_MINOR,                                     \
                                           0,                                                \
                                           {PATCHBAY_MANIFEST_DATA, PATCHBAY_MANIFEST_SIZE}, \
                                           {PATCHBAY_STORE_DATA, PATCHBAY_STORE_SIZE},       \
                                           &patchbay::detail::plugin_create<Class>};
