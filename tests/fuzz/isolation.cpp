// Frames of a malicious isolated plugin, through all parts of the server that handle one. The input is
// frames, each after two bytes of length. Another plugin provides a service to it and calls the services that
// it offers, and reads every byte that it receives.
#include <patchbay/bus.h>
#include <patchbay/service.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "abi/host_context.h"
#include "abi/subsystems.h"
#include "isolation/session_dispatcher.h"

using namespace patchbay;
using namespace patchbay::core;
using namespace patchbay::core::isolation;

namespace {

struct Words {
  std::string text;
  Buffer bytes;
  int64_t number = 0;
  Handle handle;
  PATCHBAY_FIELDS(text, bytes, number, handle)
};
struct ToServer {
  static constexpr char id[] = "fuzz.server/1";
  static constexpr Method<0, Words, Words> say{"say"};
  static constexpr auto methods() { return std::make_tuple(say); }
};
struct ToChild {
  static constexpr char id[] = "fuzz.child/1";
  static constexpr Method<0, Words, Words> say{"say"};
  static constexpr auto methods() { return std::make_tuple(say); }
};

volatile unsigned sink = 0;
void look_at(std::string_view bytes) {
  for (const char byte : bytes) sink = sink + static_cast<unsigned char>(byte);
}

constexpr char kSql[] =
    "-- migration: 1\nCREATE TABLE fuzzed_note (id {{ID}}, word TEXT);\n"
    "-- name: add\nINSERT INTO fuzzed_note (word) VALUES ($1);\n-- name: all\nSELECT word FROM fuzzed_note "
    "LIMIT 9;\n";

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "patchbay-fuzz-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

// The server, created once.
struct FuzzedServer {
  Folder folder;
  std::unique_ptr<Subsystems> subsystems;
  std::optional<HostContext> other, fuzzed;
  std::optional<Host> other_host, fuzzed_host;
  std::optional<Provision<ToServer>> offered;

  FuzzedServer() {
    Subsystems::Options options;
    options.log.file = "/dev/null";
    options.data_folder = folder.path;
    options.report = [this](std::string_view) { return subsystems->services().metrics.text(); };
    subsystems = *Subsystems::create(std::move(options));
    if (!subsystems->open_store(folder.path / "patchbay.db").ok()) std::abort();
    if (!subsystems->store()->register_owner("fuzzed", kSql).ok()) std::abort();
    other.emplace(subsystems->services(), "other");
    fuzzed.emplace(subsystems->services(), "fuzzed");
    other_host.emplace(*Host::open(other->raw()));
    fuzzed_host.emplace(*Host::open(fuzzed->raw()));
    on(*other, [this] {
      offered.emplace(*other_host);
      offered->on(ToServer::say, [](Words words) -> Result<Words> {
        look_at(words.text);
        look_at(words.bytes.view());
        return words;
      });
      if (!offered->publish().ok()) std::abort();
    });
  }
  ~FuzzedServer() {
    on(*other, [this] { offered.reset(); });
    wait_idle();
    subsystems->store()->close();
  }

  void wait_idle() const { subsystems->services().runtime.wait_idle(std::chrono::seconds(10)); }

  template <class F>
  static void on(HostContext& context, F f) {
    std::promise<void> done;
    context.main_strand()->post([&] {
      f();
      done.set_value();
    });
    done.get_future().wait();
  }

  // Calls the service that the child offers, and reads the answer.
  void call_child() const {
    const Host& host = *other_host;
    const uint64_t lease = host.services->query(host.self, to_abi(ToChild::id));
    if (lease == 0) return;
    const Words words{"text", Buffer::copy("bytes"), 7, {}};
    const Packed<Words> packed(words);
    host.services->call(
        host.self, lease, &detail::InterfaceTable<ToChild>::table, 0, packed.get(), kMainStrand,
        [](void*, int32_t status, const pb_message* reply, const pb_err*) noexcept {
          if (status != PB_OK) return;
          const Words said = unpack<Words>(reply);
          look_at(said.text);
          look_at(said.bytes.view());
        },
        nullptr);
    host.services->unlease(host.self, lease);
    const NewEvent event{"fuzz.happened", "localhost", "it", "", "{}"};
    publish(host, event);
  }
};

// What the child would read.
class Drain {
 public:
  explicit Drain(int fd) : channel_(Descriptor(fd)), thread_([this] { read(); }) {}
  ~Drain() { thread_.join(); }

 private:
  void read() {
    std::string frame;
    Descriptor fd;
    while (channel_.receive(frame, fd)) look_at(frame.substr(0, 8));
  }
  Channel channel_;
  std::thread thread_;
};

std::vector<std::string> frames_of(const uint8_t* data, size_t size) {
  std::vector<std::string> frames;
  while (size >= 2 && frames.size() < 64) {
    const size_t length = std::min<size_t>(data[0] | data[1] << 8, size - 2);
    frames.emplace_back(reinterpret_cast<const char*>(data) + 2, length);
    data += 2 + length;
    size -= 2 + length;
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static FuzzedServer server;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  const Drain drain(ends[1]);
  Channel channel{Descriptor(ends[0])};
  InterfaceShare interfaces{{}};
  SessionDispatcher tables(*server.fuzzed, *server.fuzzed_host, interfaces);
  bool sound = true;
  FuzzedServer::on(*server.fuzzed, [&] { tables.link().open(&channel); });
  for (const std::string& frame : frames_of(data, size)) {
    FuzzedServer::on(*server.fuzzed, [&] {
      Decoder in(frame);
      const Kind kind = in.kind();
      sound = sound && tables.take(kind, in, {});
    });
    if (!sound) break;
    FuzzedServer::on(*server.other, [] { server.call_child(); });
  }
  FuzzedServer::on(*server.fuzzed, [&] { tables.end(); });
  server.wait_idle();
  return 0;
}
