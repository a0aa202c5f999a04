// What an isolated plugin cannot do, tried by a plugin that attempts it.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "intruder/intruder.h"
#include "isolation/isolation_support.h"
#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using namespace patchbay::intruder;

// Runs in the server and calls the intruder, which attempts things.
class AttemptPlugin final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "attempts", "version": "1.0.0", "optional": ["test.intruder/1"]})";
  static constexpr char store_sql[] = "";
  static inline AttemptPlugin* current = nullptr;

  Status start(const Config&) override {
    intruder_ = std::make_unique<Service<Intruder>>(host());
    current = this;
    return {};
  }
  void stop(Done done) override {
    intruder_.reset();
    done();
  }
  template <class M>
  Result<typename M::Reply> call(M method, typename M::Request request) {
    auto answer = std::make_shared<test::Promise<Result<typename M::Reply>>>();
    post(host(), kMainStrand, [this, method, request = std::move(request), answer] {
      intruder_->call(method, request, [answer](auto result) { answer->set(std::move(result)); });
    });
    auto came = answer->get(std::chrono::seconds(60));
    return came ? std::move(*came) : Result<typename M::Reply>(Code::timeout, "no answer");
  }

 private:
  std::unique_ptr<Service<Intruder>> intruder_;
};

std::string yaml(const std::string& section) {
  return "plugins: {attempts: {}, intruder: {" + section + "}}\ntenants: {localhost: {}}\n";
}

struct IntruderServer : test::TestServer {
  explicit IntruderServer(const std::string& section, std::function<void(CoreOptions&)> adjust = nullptr)
      : TestServer(yaml(section), nullptr, {&test::LinkedPlugin<AttemptPlugin>::entry},
                   {{"intruder", ISOLATION_INTRUDER}}, std::move(adjust)) {
    REQUIRE(start_error() == "");
  }
  // Returns the errno of the attempt; 0: it succeeded; -1: no answer.
  int64_t attempt(const std::string& what, const std::string& path = "", int64_t pid = 0) {
    const auto outcome = AttemptPlugin::current->call(Intruder::attempt, {what, path, pid});
    INFO(what << " " << path);
    CHECK(outcome.ok());
    return outcome.ok() ? outcome->error : -1;
  }
  bool says(const char* what, const std::string& part) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (core().report(what).find(part) == std::string::npos) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
};

// Fails the test on a kernel without Landlock, unless PATCHBAY_TEST_WITHOUT_LANDLOCK is set.
bool has_landlock() {
  if (core::isolation::landlock_version() > 0) return true;
  const bool known = std::getenv("PATCHBAY_TEST_WITHOUT_LANDLOCK") != nullptr;
  if (!known)
    FAIL_CHECK("this kernel has no Landlock; PATCHBAY_TEST_WITHOUT_LANDLOCK=1 says that it need not");
  return false;
}

void write_file(const std::filesystem::path& path) { std::ofstream(path) << "secret"; }

}  // namespace

TEST_CASE("a plugin of this process reaches what the server reaches, so the attempts are real") {
  IntruderServer server("");
  CHECK(server.attempt("read", server.data() / "sealing.key") == 0);
  CHECK(server.attempt("list", server.data()) == 0);
  CHECK(server.attempt("signal", "", ::getppid()) == 0);
  CHECK(server.attempt("udp") == 0);
}

TEST_CASE("an isolated plugin does not reach the files of the server and of other plugins") {
  if (!has_landlock()) return;
  IntruderServer server("isolation: process");
  std::filesystem::create_directories(server.data() / "other");
  write_file(server.data() / "other" / "note");
  for (const char* file : {"sealing.key", "patchbay.db", "other/note", "../patchbay.yaml"}) {
    CAPTURE(file);
    CHECK(server.attempt("read", server.data() / file) == EACCES);
    CHECK(server.attempt("write", server.data() / file) == EACCES);
    CHECK(server.attempt("remove", server.data() / file) == EACCES);
  }
  CHECK(server.attempt("list", server.data()) == EACCES);
  CHECK(server.attempt("list", "/") == EACCES);
  CHECK(server.attempt("write", server.data() / "new") == EACCES);
  CHECK(server.attempt("read", "/etc/shadow") == EACCES);
  CHECK(server.attempt("read", "/proc/" + std::to_string(::getpid()) + "/environ") == EACCES);
  CHECK(server.says("ready", R"("isolation":"contained")"));
  CHECK(server.core().stop().ok());
}

TEST_CASE("an isolated plugin keeps what it needs") {
  test::TemporaryFolder elsewhere;
  write_file(elsewhere.path() / "named");
  std::filesystem::create_directory(elsewhere.path() / "given");
  IntruderServer server("isolation: process, file: " + (elsewhere.path() / "named").string() + ", paths: [" +
                        (elsewhere.path() / "given").string() + "]");
  CHECK(server.attempt("write", server.data() / "intruder" / "note") == 0);
  CHECK(server.attempt("read", server.data() / "intruder" / "note") == 0);
  CHECK(server.attempt("list", server.data() / "intruder") == 0);
  CHECK(server.attempt("read", elsewhere.path() / "named") == 0);
  CHECK(server.attempt("write", elsewhere.path() / "given" / "new") == 0);
  CHECK(server.attempt("read", "/usr/lib/os-release") == 0);
  CHECK(server.attempt("read", "/dev/urandom") == 0);
  CHECK(server.attempt("udp") == 0);
  CHECK(server.attempt("thread") == 0);
  CHECK(server.attempt("resolve") == 0);
  if (core::isolation::landlock_version() > 0)
    CHECK(server.attempt("write", elsewhere.path() / "other") == EACCES);

  // A configuration that names other files needs a new process.
  write_file(elsewhere.path() / "second");
  const Status reloaded =
      server.reload(yaml("isolation: process, file: " + (elsewhere.path() / "second").string() +
                         ", paths: [" + (elsewhere.path() / "given").string() + "]"));
  CHECK((reloaded ? "" : reloaded.error().text) == "");
  CHECK(server.says("metrics", "patchbay_plugin_restarts_total{plugin=\"intruder\"} 1"));
  CHECK(server.attempt("read", elsewhere.path() / "second") == 0);
  CHECK(server.core().stop().ok());
}

TEST_CASE("reloads that name other files are no crashes, and never quarantine a plugin") {
  test::TemporaryFolder elsewhere;
  const auto section = [&](int i) {
    const auto file = elsewhere.path() / std::to_string(i);
    write_file(file);
    return "isolation: process, restarts: {most: 1, within_s: 600}, file: " + file.string();
  };
  IntruderServer server(section(0));
  for (int i = 1; i <= 3; ++i) {
    const Status reloaded = server.reload(yaml(section(i)));
    CHECK((reloaded ? "" : reloaded.error().text) == "");
    CHECK(server.says("metrics", "patchbay_plugin_restarts_total{plugin=\"intruder\"} " + std::to_string(i)));
    CHECK(server.attempt("read", elsewhere.path() / std::to_string(i)) == 0);
  }
  CHECK(server.says("plugins", "running"));
  CHECK(server.core().stop().ok());
}

TEST_CASE("an isolated plugin reaches no other process, no kernel and no machine") {
  IntruderServer server("isolation: process");
  const pid_t server_pid = ::getpid();
  CHECK(server.attempt("signal", "", server_pid) == EPERM);
  CHECK(server.attempt("signal", "", 0) == EPERM);
  CHECK(server.attempt("signal", "", -1) == EPERM);
  CHECK(server.attempt("trace", "", server_pid) == EPERM);
  for (const char* what : {"memory", "mount", "namespace", "root", "ring", "bpf", "keys", "faults", "handle",
                           "packets", "datagram pair", "process group"}) {
    CAPTURE(what);
    CHECK(server.attempt(what, server.data() / "intruder", server_pid) == EPERM);
  }
  CHECK(server.attempt("connect", server.admin_socket()) == EPERM);
  CHECK(server.core().stop().ok());
}

TEST_CASE("a plugin that hangs in a separate process is restarted, wherever it hangs") {
  IntruderServer server("isolation: process", [](CoreOptions& options) { options.start_deadline_ms = 6000; });
  std::string where;
  SUBCASE("on its main strand") { where = "main"; }
  SUBCASE("on another strand") { where = "strand"; }
  SUBCASE("on its media loop") { where = "media"; }
  const auto answer = AttemptPlugin::current->call(Intruder::hang, {where});
  CHECK((answer.ok() ? Code::ok : answer.error().code) == (where == "main" ? Code::gone : Code::ok));
  CHECK(server.says("metrics", "patchbay_plugin_restarts_total{plugin=\"intruder\"} 1"));
  CHECK(server.log().find("it did not answer for") != std::string::npos);
  CHECK(server.attempt("thread") == 0);
  CHECK(server.core().stop().ok());
}

TEST_CASE("the crash banner of an isolated plugin names the plugin and its callback") {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "words").string();
  const int before = ::dup(STDERR_FILENO);
  const int words = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::dup2(words, STDERR_FILENO) == STDERR_FILENO);
  {
    IntruderServer server("isolation: process");
    CHECK(AttemptPlugin::current->call(Intruder::crash, {}).error().code == Code::gone);
  }
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(words);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  CAPTURE(text);
  CHECK(text.find("patchbay: crashed: SIGABRT in plugin 'intruder', in its method 'crash', on a strand\n") !=
        std::string::npos);
}

TEST_CASE(
    "a plugin whose own work is still running when it stops is not destroyed, and the server reports why") {
  IntruderServer server("isolation: process");
  CHECK(AttemptPlugin::current->call(Intruder::linger, {}).ok());
  const Status stopped = server.core().stop();
  REQUIRE(!stopped.ok());
  CAPTURE(stopped.error().text);
  CHECK(stopped.error().text.find("still under way: 1 job on a worker") != std::string::npos);
}
