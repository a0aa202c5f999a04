// child-host <plugin file> <id>: runs one plugin, with the server at the other end of descriptor 3. It is
// started by the server's side (proxy.h) and ends when the server closes the channel.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "abi/media_hub.h"
#include "abi/store_hub.h"
#include "bus/bus.h"
#include "child_host.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "plugins/plugin_source.h"
#include "runtime/runtime.h"
#include "services/registry.h"

namespace patchbay::isolated {
namespace {

constexpr int kChannelFd = 3;

// The parts that HostContext wants; bus, services and store are only there for it.
struct Parts {
  std::unique_ptr<core::observe::Log> log = *core::observe::Log::open({});
  core::observe::Metrics metrics;
  core::Registry services;
  std::unique_ptr<core::Runtime> runtime;
  std::optional<core::Bus> bus;
  std::optional<core::StoreHub> store;
  std::optional<core::MediaHub> media;
  std::optional<core::HostParts> all;

  explicit Parts(std::filesystem::path folder) {
    core::RuntimeOptions options;
    options.executor.threads = 2;
    runtime = *core::Runtime::create(options);
    bus.emplace(runtime->wall_clock(), runtime->mono_clock());
    store.emplace(*bus);
    media.emplace(runtime->media());
    all.emplace(core::HostParts{*runtime, *bus, *store, services, *media, *log, metrics, std::move(folder),
                                [](std::string_view) { return std::string(); }});
  }
};

// The plugin's life as the parent commands it.
class Life {
 public:
  Life(ChildHost& host, std::string file) : host_(host), file_(std::move(file)) {}

  void take(const std::string& frame) {
    if (host_.take(frame)) return;
    host_.context().main_strand()->post([this, frame] { command(frame); });
  }
  // The plugin has been destroyed, or never was made.
  bool over() const noexcept { return self_.load() == nullptr; }

 private:
  void command(const std::string& frame) {
    Decoder in(frame);
    switch (in.kind()) {
      case Kind::start:
        return start(in);
      case Kind::drain: {
        const pb_done done = done_for(Kind::drained);
        return table_->drain(self_, &done);
      }
      case Kind::stop: {
        const pb_done done = done_for(Kind::stopped);
        return table_->stop(self_, &done);
      }
      default:
        return;
    }
  }

  void start(Decoder& in) {
    const std::string config(in.str());
    uint32_t levels = 0;
    for (uint32_t level = PB_LOG_DEBUG; level <= PB_LOG_ERROR; ++level) levels |= in.u32() << level;
    host_.set_levels(levels);
    const Status made = create();
    if (!made) return say(Kind::started, static_cast<int32_t>(made.error().code), made.error().text);
    const pb_done done = done_for(Kind::started);
    table_->start(self_, to_abi(config), &done);
  }

  Status create() {
    PB_TRY_VALUE(auto source, core::read_plugin_file(file_));
    PB_TRY(core::load_plugin(source));
    pb_err err = empty_error();
    void* self = nullptr;
    const int32_t status = source.entry->create(host_.raw(), &table_, &self, &err);
    if (status != PB_OK) return read_error(status, &err);
    self_ = self;
    return {};
  }

  struct Asked {
    Life* life;
    Kind kind;
  };
  pb_done done_for(Kind kind) {
    return {sizeof(pb_done), 0, new Asked{this, kind},
            [](void* self, int32_t status, const pb_err* err) noexcept {
              const std::unique_ptr<Asked> asked(static_cast<Asked*>(self));
              const bool last =
                  asked->kind == Kind::stopped || (asked->kind == Kind::started && status != PB_OK);
              std::string text = err != nullptr ? err->text : "";
              if (last) asked->life->host_.abandon_calls();
              asked->life->host_.context().main_strand()->post(
                  [life = asked->life, kind = asked->kind, status, last, text] {
                    if (last) life->table_->destroy(life->self_.exchange(nullptr));
                    life->say(kind, status, text);
                  });
            }};
  }
  void say(Kind kind, int32_t status, std::string_view text) {
    host_.send(Encoder(kind).u32(static_cast<uint32_t>(status)).str(text));
  }

  ChildHost& host_;
  const std::string file_;
  const pb_plugin* table_ = nullptr;
  std::atomic<void*> self_{nullptr};
};

int run(const std::string& file, const std::string& id) {
  std::string folder = (std::filesystem::temp_directory_path() / "patchbay-child-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  bool orderly = false;
  {
    Parts parts(folder);
    ChildHost host(kChannelFd, *parts.all, id);
    Life life(host, file);
    std::string frame;
    int fd = -1;
    while (host.channel().receive(frame, fd)) {
      if (fd >= 0) ::close(fd);
      life.take(frame);
    }
    orderly = life.over();
    if (!orderly) ::_exit(1);  // the server has gone: there is nobody to let the plugin go for
    parts.runtime->wait_idle(std::chrono::seconds(5));
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}

}  // namespace
}  // namespace patchbay::isolated

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return patchbay::isolated::run(argv[1], argv[2]);
}
