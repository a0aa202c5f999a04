// Plays a patchbay-plugin-host that misbehaves; the name under which it is started says how. Descriptor 3 is
// the socket to the server.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "isolation/frame.h"
#include "isolation/host_call_wire.h"
#include "isolation/services/interface_wire.h"

using namespace patchbay::core::isolation;

namespace {

constexpr int kServer = 3;

void send(const std::string& frame) { ::send(kServer, frame.data(), frame.size(), MSG_NOSIGNAL); }

// Waits for a command of the server, or its end.
bool receive() {
  char frame[1 << 17];
  return ::recv(kServer, frame, sizeof frame, 0) > 0;
}

void start_well() {
  receive();
  send(Encoder(Kind::started).u32(0).str("").take());
}

// An interface whose only field is outside its struct.
std::string bad_interface() {
  Encoder shape;
  shape.u32(16).u32(1).u32(PB_FIELD_STR).u32(8).str("x");
  Encoder table;
  table.str("invalid/1").u32(1).str("say").bytes(shape.frame()).bytes(shape.frame());
  return Encoder(Kind::provide).u64(1).u32(1).str(table.frame()).take();
}

Encoder host_call(uint32_t function) {
  Encoder out(Kind::host_call);
  out.u64(1).u32(function);
  return out;
}

}  // namespace

int main(int, char** argv) {
  const std::string how = std::strrchr(argv[0], '/') + 1;
  if (how == "mute") receive();
  if (how == "leaves") ::close(kServer);
  if (how == "answers-first") send(Encoder(Kind::checked).u32(0).str("").take());
  if (how == "garbage") start_well(), send("\xff\xff\xff\x7fgarbage");
  if (how == "short") start_well(), send("ab");
  if (how == "bad-interface") start_well(), send(bad_interface());
  if (how == "large-without-memory") start_well(), send(Encoder(Kind::large).u64(1 << 20).take());
  if (how == "claims-much")
    start_well(), send(host_call(function_number(&pb_store::query)).u64(1).u32(0x7fffffff).take());
  if (how == "calls-unknown") start_well(), send(host_call(0x7fffffff).take());
  if (how == "calls-local") start_well(), send(host_call(function_number(&pb_store::begin)).take());
  if (how == "same-metric-number") {
    start_well();
    for (int i = 0; i < 2; ++i)
      send(Encoder(Kind::metric)
               .u64(1)
               .u32(PB_METRIC_GAUGE)
               .str("twice_" + std::to_string(i))
               .str("")
               .u32(0)
               .take());
  }
  if (how == "refuses-and-stays") {
    receive();
    send(Encoder(Kind::started).u32(static_cast<uint32_t>(PB_E_FAILED)).str("it has a reason").take());
  }
  if (how == "leaves-a-child") {
    start_well();
    if (::fork() != 0) ::abort();
  }
  if (how == "floods") {
    start_well();
    const std::string line =
        host_call(function_number(&pb_observe::log)).u32(0).str("").str("a line").u32(0).take();
    for (int i = 0; i < 300'000; ++i) send(line);
    return 0;
  }
  while (true) ::pause();
}
