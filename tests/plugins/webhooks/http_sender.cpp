#include "http_sender.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <vector>

#include "support/self_signed_certificate.h"
#include "support/webhook_receiver.h"

using namespace patchbay::test;
using namespace patchbay::webhooks;

namespace {

constexpr HttpSender::Limits kQuick{500, 64 << 10};  // for answers that never come

Post post_to(const std::string& url, bool allow_private = true) {
  Post post;
  post.url = url;
  post.body = R"({"event":"x"})";
  post.headers = {"X-Platform-Delivery-Id: d1"};
  post.allow_private = allow_private;
  return post;
}

std::future<Outcome> begin(HttpSender& sender, Post post) {
  auto answered = std::make_shared<std::promise<Outcome>>();  // shared, because the sender may drop it
  sender.send(std::move(post), [answered](Outcome outcome) { answered->set_value(std::move(outcome)); });
  return answered->get_future();
}

Outcome send(HttpSender& sender, Post post) {
  auto outcome = begin(sender, std::move(post));
  REQUIRE(outcome.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  return outcome.get();
}

int64_t ms_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began)
      .count();
}

// A bound port without a listener.
class DeadPort {
 public:
  DeadPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~DeadPort() { ::close(fd_); }
  DeadPort(const DeadPort&) = delete;
  DeadPort& operator=(const DeadPort&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

}  // namespace

TEST_CASE("a 2xx is success and the request arrives unchanged") {
  WebhookReceiver receiver({});
  HttpSender sender;
  receiver.answer_next({WebhookAnswer::ok, WebhookAnswer::no_content});
  for (const int64_t status : {200, 204}) {
    const Outcome outcome = send(sender, post_to(receiver.url("/a?b=c")));
    CHECK(outcome.delivered);
    CHECK(outcome.status == status);
    CHECK(outcome.error == "");
  }
  const auto got = receiver.deliveries();
  REQUIRE(got.size() == 2);
  CHECK(got[0].path == "/a?b=c");
  CHECK(got[0].body == R"({"event":"x"})");
  CHECK(got[0].header("x-platform-delivery-id") == "d1");
  CHECK(got[0].header("content-length") == "13");
}

TEST_CASE("a redirect is a failure and not followed") {
  WebhookReceiver receiver({});
  receiver.answer_always(WebhookAnswer::redirect);
  HttpSender sender;
  const Outcome outcome = send(sender, post_to(receiver.url()));
  CHECK_FALSE(outcome.delivered);
  CHECK(outcome.error == "answered 301");
  CHECK(receiver.deliveries().size() == 1);
}

TEST_CASE("a receiver that misbehaves is a failure with a reason") {
  WebhookReceiver receiver({});
  const std::pair<WebhookAnswer, const char*> cases[] = {{WebhookAnswer::error, "answered 500"},
                                                         {WebhookAnswer::hang, "no answer in time"},
                                                         {WebhookAnswer::drip, "no answer in time"},
                                                         {WebhookAnswer::reset, "the connection broke"},
                                                         {WebhookAnswer::garbage, "the answer is not HTTP"}};
  for (const auto& [answer, reason] : cases) {
    receiver.answer_always(answer);
    const bool never = answer == WebhookAnswer::hang || answer == WebhookAnswer::drip;
    HttpSender each(never ? kQuick : HttpSender::Limits{});
    const Outcome outcome = send(each, post_to(receiver.url()));
    CHECK_FALSE(outcome.delivered);
    CHECK(outcome.error == reason);
  }
  HttpSender sender;
  const DeadPort dead;
  CHECK(send(sender, post_to(dead.url())).error == "could not connect");
  CHECK(send(sender, post_to("http://no-such-host.invalid/")).error == "the host has no address");
}

TEST_CASE("no more than the limit of a response is read") {
  WebhookReceiver receiver({});
  receiver.answer_always(WebhookAnswer::huge);
  HttpSender sender({60'000, 64 << 10});
  const auto began = std::chrono::steady_clock::now();
  const Outcome outcome = send(sender, post_to(receiver.url()));
  CHECK(outcome.delivered);  // the head has 200
  CHECK_FALSE(outcome.complete);
  CHECK(ms_since(began) < 50'000);
  CHECK(receiver.bytes_sent() < 32u << 20);  // the size of the socket buffers
}

TEST_CASE("a 2xx counts even if its body never arrives") {
  WebhookReceiver receiver({});
  receiver.answer_always(WebhookAnswer::late_body);
  HttpSender sender({3000, 64 << 10});
  const Outcome outcome = send(sender, post_to(receiver.url()));
  CHECK(outcome.delivered);
  CHECK_FALSE(outcome.complete);
}

TEST_CASE("a receiver that hangs does not delay others") {
  WebhookReceiver bad({});
  bad.answer_always(WebhookAnswer::hang);
  WebhookReceiver good({});
  HttpSender sender({60'000, 64 << 10});
  std::vector<std::future<Outcome>> hanging;
  for (int i = 0; i < 50; ++i) hanging.push_back(begin(sender, post_to(bad.url())));
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    const Outcome outcome = send(sender, post_to(good.url()));
    CHECK(outcome.delivered);
    CHECK(outcome.complete);
  }
  CHECK(ms_since(began) < 50'000);
}

TEST_CASE("receivers that hang do not cost another one its connection") {
  WebhookReceiver bad({}), good({});
  bad.answer_always(WebhookAnswer::hang);
  HttpSender sender({60'000, 64 << 10});
  std::vector<std::future<Outcome>> hanging;
  for (int i = 0; i < 100; ++i) hanging.push_back(begin(sender, post_to(bad.url())));
  CHECK(bad.wait_for(100).size() == 100);
  for (int i = 0; i < 3; ++i) CHECK(send(sender, post_to(good.url())).delivered);
  CHECK(good.connections() == 1);
}

TEST_CASE("addresses that are not public are refused on connecting") {
  WebhookReceiver receiver({});
  HttpSender sender;
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1"}) {
    const std::string url = "http://" + host + ":" + std::to_string(receiver.port()) + "/";
    INFO(url);
    const Outcome outcome = send(sender, post_to(url, false));
    CHECK_FALSE(outcome.delivered);
    CHECK(outcome.error == "the host has no address that may be used");
  }
  CHECK(receiver.deliveries().empty());
}

TEST_CASE("a connection that another tenant was allowed to open is not reused") {
  WebhookReceiver receiver({});
  HttpSender sender;
  CHECK(send(sender, post_to(receiver.url(), true)).delivered);
  const Outcome outcome = send(sender, post_to(receiver.url(), false));
  CHECK(outcome.error == "the host has no address that may be used");
  CHECK(receiver.deliveries().size() == 1);
}

TEST_CASE("certificates are verified, also with a configured CA file") {
  const auto certificate = patchbay::support::make_certificate();
  WebhookReceiver::Options options;
  options.certificate_pem = certificate.certificate_pem;
  options.key_pem = certificate.key_pem;
  WebhookReceiver receiver(options);
  HttpSender sender;
  CHECK(send(sender, post_to(receiver.url())).error == "the certificate is not trusted");
  CHECK(receiver.deliveries().empty());

  std::string pattern = "/tmp/patchbay-ca-XXXXXX";
  const int fd = mkstemp(pattern.data());
  REQUIRE(fd >= 0);
  std::ofstream(pattern) << certificate.certificate_pem;
  Post post = post_to(receiver.url());
  post.ca_file = pattern;
  const Outcome outcome = send(sender, post);
  CHECK(outcome.error == "");
  CHECK(outcome.delivered);
  close(fd);
  unlink(pattern.c_str());
}

TEST_CASE("a sender stops at once with requests in flight") {
  WebhookReceiver receiver({});
  receiver.answer_always(WebhookAnswer::hang);
  const auto began = std::chrono::steady_clock::now();
  std::future<Outcome> dropped;
  {
    HttpSender sender({60'000, 64 << 10});
    dropped = begin(sender, post_to(receiver.url()));
    receiver.wait_for(1);
  }
  CHECK(ms_since(began) < 50'000);
  CHECK_THROWS_AS(dropped.get(), std::future_error);
}
