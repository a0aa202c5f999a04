// A server that reads slowly, and one that quotes the key it was sent.
#include <doctest/doctest.h>
#include <patchbay/base64.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "gemini_engine.h"
#include "plugins/engine-gemini/test_options.h"
#include "plugins/lib/engine/caller.h"
#include "support/websocket_server.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace std::chrono_literals;
using lib::test::RecordingListener;
using support::WsPeer;
using support::WsServer;

namespace {

constexpr auto kPatience = 30s;

SessionConfig config(std::string key) {
  SessionConfig out;
  out.model = "gemini-3.8-live";
  out.api_key = std::move(key);
  return out;
}

engine_gemini::Options options(const WsServer& server) {
  return engine_gemini::test::options_for(server.url(), server.ca_file());
}

// Returns the first sample of each frame of audio in the message, which numbers the frame.
std::vector<int> marks_of(std::string_view message) {
  const std::string_view before = R"("audio":{"data":")";
  size_t at = message.find(before);
  if (at == std::string_view::npos) return {};
  at += before.size();
  const auto bytes = patchbay::from_base64(message.substr(at, message.find('"', at) - at));
  std::vector<int> marks;
  for (size_t frame = 0; bytes && frame + 640 <= bytes->size(); frame += 640) {
    int16_t sample = 0;
    std::memcpy(&sample, bytes->data() + frame, sizeof sample);
    marks.push_back(sample);
  }
  return marks;
}

}  // namespace

TEST_CASE(
    "caller audio for a server that does not read is limited to about a second, and the rest is dropped and "
    "counted") {
  std::mutex mutex;
  std::vector<int> got;
  WsServer::Script script;
  script.on_message = [&](const std::shared_ptr<WsPeer>& peer, std::string_view message, bool) {
    if (message.find("\"setup\"") != std::string_view::npos)
      return peer->send(R"({"setupComplete":{}})", false);
    const std::lock_guard lock(mutex);
    for (const int mark : marks_of(message)) got.push_back(mark);
  };
  WsServer server(false, std::move(script));
  lib::IoThread io;
  engine_gemini::GeminiEngine engine(options(server));
  RecordingListener record;
  auto session = engine.open(io, config("test-key"), record);
  REQUIRE(session.ok());
  (*session)->begin();
  REQUIRE(record.wait([&] { return record.ready; }));

  std::promise<void> reads_again;
  server.post([wait = reads_again.get_future().share()] { wait.wait(); });
  std::vector<int16_t> frame(320);
  int pushed = 0;
  const auto push = [&] {
    std::fill(frame.begin(), frame.end(), static_cast<int16_t>(pushed++));
    (*session)->push_audio(frame.data(), frame.size());
    std::this_thread::sleep_for(1ms);  // the pace of the media loop, twenty times as fast
  };
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (engine.stats().dropped_ms < 2000 && std::chrono::steady_clock::now() < deadline) push();
  CHECK(engine.stats().dropped_ms >= 2000);
  CHECK(engine.stats().queued_ms <= 1000);
  CHECK(pushed < 1500);  // the library and the kernel buffer a few seconds at most

  reads_again.set_value();
  const auto last = [&] {
    const std::lock_guard lock(mutex);
    return got.empty() ? -1 : got.back();
  };
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (last() < pushed - 1 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
  CHECK(last() == pushed - 1);  // the newest was kept
  {
    const std::lock_guard lock(mutex);
    CHECK(std::is_sorted(got.begin(), got.end()));
    CHECK(got.front() == 0);
    CHECK(static_cast<int>(got.size()) < pushed);
  }
  // The last message leaves the queue only after it was sent.
  while (engine.stats().queued_ms != 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  CHECK(engine.stats().queued_ms == 0);
  (*session)->close();
  REQUIRE(record.wait_closed());
  CHECK(record.close.dropped_ms >= 2000);
}

TEST_CASE("audio of the server beyond what may wait to be played is dropped, and counted during the call") {
  const std::string samples(2 * 48'000, '\x11');  // 2 s
  std::string audio;
  patchbay::append_base64(audio, samples.data(), samples.size());
  const std::string message =
      R"({"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm;rate=24000","data":")" +
      audio + R"("}}]}}})";
  WsServer::Script script;
  script.on_message = [&](const std::shared_ptr<WsPeer>& peer, std::string_view received, bool) {
    if (received.find("\"setup\"") == std::string_view::npos) return;
    peer->send(R"({"setupComplete":{}})", false);
    for (int i = 0; i < 65; ++i) peer->send(message, false);
  };
  WsServer server(false, std::move(script));
  lib::IoThread io;
  engine_gemini::GeminiEngine engine(options(server));
  RecordingListener record;
  auto session = engine.open(io, config("test-key"), record);
  REQUIRE(session.ok());
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (engine.stats().reply_dropped_ms < 10'000 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  CHECK(engine.stats().reply_dropped_ms == 10'000);  // of 130 s
}

TEST_CASE("a long silence is sent in longer messages, and speech at once") {
  std::mutex mutex;
  std::vector<size_t> frames_of_messages;
  std::vector<int> got;
  WsServer::Script script;
  script.on_message = [&](const std::shared_ptr<WsPeer>& peer, std::string_view message, bool) {
    if (message.find("\"setup\"") != std::string_view::npos)
      return peer->send(R"({"setupComplete":{}})", false);
    const std::lock_guard lock(mutex);
    const auto marks = marks_of(message);
    if (!marks.empty()) frames_of_messages.push_back(marks.size());
    got.insert(got.end(), marks.begin(), marks.end());
  };
  WsServer server(false, std::move(script));
  lib::IoThread io;
  engine_gemini::Options with = options(server);
  with.silence_ms = 80;
  engine_gemini::GeminiEngine engine(with);
  RecordingListener record;
  auto session = engine.open(io, config("test-key"), record);
  REQUIRE(session.ok());
  (*session)->begin();
  REQUIRE(record.wait([&] { return record.ready; }));
  io.drain();  // begin() has run
  const auto push = [&](int16_t sample) {
    const std::vector<int16_t> frame(320, sample);
    (*session)->push_audio(frame.data(), frame.size());
  };
  // Each message arrives before the next frame is pushed. Otherwise audio that waits for a busy thread or
  // socket would be sent in other messages.
  const auto arrives = [&](size_t frames) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    const auto received = [&] {
      const std::lock_guard lock(mutex);
      return got.size();
    };
    while (received() < frames && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
    return received() == frames;
  };
  std::vector<size_t> expected(50, 1);  // a second
  expected.insert(expected.end(), {4, 4, 4});
  int16_t pushed = 0;
  for (const size_t frames : expected) {
    for (size_t i = 0; i < frames; ++i) push(pushed++);
    REQUIRE(arrives(static_cast<size_t>(pushed)));
  }
  push(pushed++);
  push(pushed++);
  push(5000);
  expected.push_back(3);
  REQUIRE(arrives(static_cast<size_t>(pushed) + 1));
  const std::lock_guard lock(mutex);
  CHECK(std::is_sorted(got.begin(), got.end()));
  CHECK(frames_of_messages == expected);
}

TEST_CASE("a server that quotes a key of asterisks ends its own call only") {
  for (const char* key : {"********", "***", "*"}) {
    CAPTURE(key);
    WsServer::Script script;
    script.on_message = [key](const std::shared_ptr<WsPeer>& peer, std::string_view, bool) {
      peer->close(1008, std::string("no such key: ") + key + " or *");
    };
    WsServer server(false, std::move(script));
    lib::IoThread io;
    engine_gemini::GeminiEngine engine(options(server));
    RecordingListener record;
    auto session = engine.open(io, config(key), record);
    REQUIRE(session.ok());
    CHECK(record.wait_closed());
    CHECK(record.close.reason.find("no such key: *") != std::string::npos);
    CHECK(record.close.reason.find("********") == std::string::npos);
  }
}
