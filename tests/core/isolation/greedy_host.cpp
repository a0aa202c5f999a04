// Plays patchbay-plugin-host and asks for more than one plugin may have; the name under which it is started
// says of what. Logs in the server when it was refused as expected, and goes on. Descriptor 3 is the socket
// to the server.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "isolation/frame.h"
#include "isolation/host_call_wire.h"
#include "isolation/limits.h"
#include "isolation/observe/session_observe.h"
#include "isolation/remote_objects.h"
#include "isolation/services/interface_wire.h"
#include "isolation/services/session_services.h"
#include "isolation/store/session_store.h"

using namespace patchbay::core::isolation;

namespace {

constexpr int kServer = 3;

void send(const std::string& frame) { ::send(kServer, frame.data(), frame.size(), MSG_NOSIGNAL); }
void send(const Encoder& out) { send(out.frame()); }

// Frames of the server by kind and first number; keeps the last of each.
class Heard {
 public:
  void listen() {
    std::string frame(1 << 17, '\0');
    while (true) {
      const ssize_t size = ::recv(kServer, frame.data(), frame.size(), 0);
      if (size <= 0) ::_exit(0);
      Decoder in(std::string_view(frame.data(), static_cast<size_t>(size)));
      const Kind kind = in.kind();
      if (kind == Kind::drain) send(Encoder(Kind::drained).u32(0).str(""));
      if (kind == Kind::stop) send(Encoder(Kind::stopped).u32(0).str(""));
      const bool is_life = kind == Kind::start || kind == Kind::drain || kind == Kind::stop ||
                           kind == Kind::flush || kind == Kind::ping;
      if (kind == Kind::flush) send(Encoder(Kind::flushed).u32(0).str(""));
      if (kind == Kind::ping) send(Encoder(Kind::pong).u32(0).str(""));
      const uint64_t number = is_life ? 0 : in.u64();
      const std::lock_guard lock(mutex_);
      if (kind == Kind::call) ++calls_;
      frames_[{kind, number}] = frame.substr(0, static_cast<size_t>(size));
      changed_.notify_all();
    }
  }
  // Waits for the frame; ends this process if it does not come.
  std::string wait(Kind kind, uint64_t number) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      return frames_.count({kind, number}) != 0;
    });
    if (!came) ::_exit(10);
    return frames_[{kind, number}];
  }

  // Waits until so many calls to this process have come.
  void wait_calls(uint64_t count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(60), [&] { return calls_ >= count; })) ::_exit(12);
  }

 private:
  uint64_t calls_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<Kind, uint64_t>, std::string> frames_;
};
Heard heard;

struct Answer {
  uint64_t value = 0;
  int32_t status = 0;
};
Answer answer(uint64_t seq) {
  const std::string frame = heard.wait(Kind::answer, seq);
  Decoder in(frame);
  in.kind();
  in.u64();
  const uint64_t value = in.u64();
  return {value, in.status()};
}
// Limits how many requests are unanswered at once.
void keep_pace(uint64_t seq) {
  if (seq % 256 == 0) answer(seq);
}
int32_t reply(uint64_t number) {
  const std::string frame = heard.wait(Kind::reply, number);
  Decoder in(frame);
  in.kind();
  in.u64();
  return in.status();
}

// An interface with one method that takes a text.
std::string interface(const std::string& id) {
  Encoder request;
  request.u32(24).u32(1).u32(PB_FIELD_STR).u32(8).str("text");
  Encoder nothing;
  nothing.u32(8).u32(0);
  Encoder table;
  return table.str(id).u32(1).str("say").bytes(request.frame()).bytes(nothing.frame()).take();
}
Encoder call(uint64_t number, uint64_t lease, const std::string& text) {
  Encoder out(Kind::call);
  out.u64(number).u64(lease).u64(2).u32(0).u32(24).str(text);
  return out;
}
Encoder host_call(uint64_t number, uint32_t function) {
  Encoder out(Kind::host_call);
  out.u64(number).u32(function);
  return out;
}
// A lease on an instance of this process, which never answers.
uint64_t own_instance() {
  send(Encoder(Kind::provide).u64(1).u32(0).str(interface("test.greedy/1")));
  send(host_call(2, function_number(&pb_services::open)).u64(answer(1).value).str("test.greedy/1"));
  send(Encoder(Kind::describe).u64(2).str(interface("test.greedy/1")));
  return answer(2).value;
}

bool many_metrics() {
  const auto metric = [](uint64_t number) {
    send(Encoder(Kind::metric)
             .u64(number)
             .u32(PB_METRIC_GAUGE)
             .str("greedy_" + std::to_string(number))
             .str("")
             .u32(0));
  };
  for (uint64_t number = 1; number <= kMaxMetrics + 1; ++number) metric(number);
  send(Encoder(Kind::metric_values).u32(1).u64(kMaxMetrics + 1).f64(1).u32(0));
  return true;
}

bool many_secrets(size_t each) {
  const size_t most = each == 0 ? kMaxSecrets : kMaxSecretBytes / each;
  for (size_t number = 0; number <= most; ++number) {
    std::string secret = "9f1c" + std::to_string(1'000'000 + number);
    secret.resize(std::max(each, secret.size()), 'q');
    send(Encoder(Kind::secret).u32(1).str(secret));
  }
  return true;
}

bool many_leases() {
  send(Encoder(Kind::provide).u64(1).u32(1).str(interface("test.greedy/1")));
  answer(1);
  constexpr uint64_t kFirst = 1000;
  for (uint64_t i = 0; i <= kMaxObjectsPerKind; ++i) {
    send(host_call(kFirst + i, function_number(&pb_services::query)).str("test.greedy/1"));
    keep_pace(kFirst + i);
  }
  return answer(kFirst + kMaxObjectsPerKind - 1).value != 0 &&
         answer(kFirst + kMaxObjectsPerKind).status == PB_E_EXHAUSTED;
}

bool many_calls(bool wanted) {
  const uint64_t lease = own_instance();
  for (uint64_t i = 1; i <= kMaxCallsInFlight; ++i) {
    send(call(wanted ? i : 0, lease, "hi"));
    if (i % 512 == 0) heard.wait_calls(i);  // not too much is on its way at once
  }
  send(call(kMaxCallsInFlight + 1, lease, "hi"));
  return reply(kMaxCallsInFlight + 1) == PB_E_EXHAUSTED;
}

bool heavy_calls() {
  const uint64_t lease = own_instance();
  const std::string large(100'000, 'x');
  const uint64_t most = kMaxCallBytesInFlight / large.size();
  for (uint64_t i = 1; i <= most; ++i) {
    send(call(0, lease, large));
    heard.wait_calls(i);
  }
  send(call(1, lease, large));
  return reply(1) == PB_E_EXHAUSTED;
}

bool many_interfaces() {
  for (uint64_t i = 0; i <= kMaxInterfaces; ++i)
    send(Encoder(Kind::describe).u64(i + 10).str(interface("test.greedy." + std::to_string(i) + "/1")));
  send(Encoder(Kind::call).u64(7).u64(1).u64(kMaxInterfaces + 10).u32(0).u32(0));
  send(Encoder(Kind::provide).u64(1).u32(0).str(interface("test.greedy/2")));
  return reply(7) == PB_E_EXHAUSTED && answer(1).status == PB_E_EXHAUSTED;
}

bool large_interfaces() {
  Encoder shape;
  shape.u32(8 + 8 * kMaxMessageFields).u32(kMaxMessageFields);
  for (uint32_t i = 0; i < kMaxMessageFields; ++i)
    shape.u32(PB_FIELD_INT).u32(8 + 8 * i).str(std::string(kMaxInterfaceNameBytes, 'n'));
  const auto large = [&](size_t number) {
    Encoder table;
    table.str("test.large/" + std::to_string(number)).u32(1).str("say");
    return table.bytes(shape.frame()).bytes(shape.frame()).take();
  };
  const size_t most = kMaxInterfaceBytes / large(0).size() + 1;
  for (size_t i = 0; i < most; ++i) send(Encoder(Kind::describe).u64(i + 10).str(large(i)));
  send(Encoder(Kind::provide).u64(1).u32(0).str(large(most)));
  return answer(1).status == PB_E_EXHAUSTED;
}

bool unprovided() {
  send(Encoder(Kind::provide).u64(1).u32(1).str(interface("patchbay.auth/1")));
  send(Encoder(Kind::provide).u64(2).u32(0).str(interface("patchbay.auth/1")));  // not published
  return answer(1).status == PB_E_DENIED && answer(2).value != 0;
}

// Watches with long names.
bool heavy_watches() {
  constexpr uint64_t kFirst = 1000;
  const std::string name(100'000, 'x');
  const uint64_t most = kMaxObjectBytes / name.size();
  for (uint64_t i = 0; i <= most; ++i) {
    send(host_call(kFirst + i, function_number(&pb_services::watch)).str(name));
    keep_pace(kFirst + i);
  }
  return answer(kFirst + most).status == PB_E_EXHAUSTED;
}

bool many_things() {
  constexpr uint64_t kFirst = 1000;
  for (uint64_t i = 0; i <= kMaxObjectsPerKind; ++i) {
    send(host_call(kFirst + i, function_number(&pb_services::watch)).str("test.nobody/1"));
    keep_pace(kFirst + i);
  }
  return answer(kFirst + kMaxObjectsPerKind).status == PB_E_EXHAUSTED;
}

// A transaction that others may add to, and operations for it without end.
bool heavy_transaction() {
  const uint64_t tx = kBegunByChild | 1;
  send(Encoder(Kind::tx_share).u64(tx));
  const std::string large(100'000, 'x');
  for (size_t sent = 0; sent <= kMaxOpenTransactionBytes; sent += large.size()) {
    Encoder event(Kind::tx_add);
    event.u64(tx).u32(function_number(&pb_store::emit)).u32(0).i64(0).i64(0);
    send(event.str("test.large").str("localhost").str("").str("").str(large).i64(0).str(""));
  }
  send(Encoder(Kind::commit).u64(5).u64(tx));
  const std::string frame = heard.wait(Kind::result, 5);
  Decoder in(frame);
  in.kind();
  in.u64();
  const int32_t status = in.status();
  send(Encoder(Kind::discard).u64(tx));  // which has ended
  return status == PB_E_GONE;
}

}  // namespace

int main(int, char** argv) {
  const std::map<std::string, std::function<bool()>> ways = {
      {"many-metrics", many_metrics},
      {"many-secrets", [] { return many_secrets(0); }},
      {"large-secrets", [] { return many_secrets(60'000); }},
      {"many-leases", many_leases},
      {"many-calls", [] { return many_calls(true); }},
      {"many-unanswered", [] { return many_calls(false); }},
      {"heavy-calls", heavy_calls},
      {"many-interfaces", many_interfaces},
      {"large-interfaces", large_interfaces},
      {"many-things", many_things},
      {"heavy-watches", heavy_watches},
      {"unprovided", unprovided},
      {"heavy-transaction", heavy_transaction},
  };
  const std::string how = std::strrchr(argv[0], '/') + 1;
  std::thread([] { heard.listen(); }).detach();
  heard.wait(Kind::start, 0);
  send(Encoder(Kind::started).u32(0).str(""));
  if (!ways.at(how)()) ::_exit(11);
  send(host_call(0, function_number(&pb_observe::log))
           .u32(PB_LOG_INFO)
           .str("")
           .str("it was refused and lives")
           .u32(0));
  while (true) ::pause();
}
