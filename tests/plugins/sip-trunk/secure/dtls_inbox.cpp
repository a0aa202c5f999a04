#include "secure/dtls_inbox.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <memory>
#include <string>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

const pb_runtime* real_runtime = nullptr;
bool is_queue_full = false;

int32_t post_unless_full(void* host, uint64_t strand, pb_fn fn, void* user) noexcept {
  return is_queue_full ? PB_E_EXHAUSTED : real_runtime->strand_post(host, strand, fn, user);
}

}  // namespace

TEST_CASE("a datagram whose post the host refused is delivered with the next one") {
  testing::TestEnvironment environment;
  Host host = environment.host();
  real_runtime = host.runtime;
  pb_runtime runtime = *host.runtime;
  runtime.strand_post = &post_unless_full;
  host.runtime = &runtime;
  std::string received;
  DtlsInbox inbox(host,
                  [&](const lib::Datagram& datagram) { received += static_cast<char>(datagram.data[0]); });
  const auto send = [&](char byte, bool refused) {
    auto datagram = std::make_unique<lib::Datagram>();
    datagram->data[0] = static_cast<uint8_t>(byte);
    datagram->size = 1;
    is_queue_full = refused;
    inbox.on_dtls(*datagram);
    is_queue_full = false;
    REQUIRE(testing::why(environment.settle()) == "");
  };
  send('a', false);
  send('b', true);
  send('c', true);
  CHECK(received == "a");
  send('d', false);
  CHECK(received == "abcd");
  send('e', false);
  CHECK(received == "abcde");
}
