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
#include "isolation/containment.h"
#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/server.h"

namespace {

using namespace patchbay;
using namespace patchbay::intruder;

// Runs in the server and has the intruder attempt things.
class Warden final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "warden", "version": "1.0.0", "optional": ["test.intruder/1"]})";
  static constexpr char store_sql[] = "";
  static inline Warden* current = nullptr;

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
  return "plugins: {warden: {}, intruder: {" + section + "}}\ntenants: {localhost: {}}\n";
}

struct Prison : test::TestServer {
  explicit Prison(const std::string& section, std::function<void(CoreOptions&)> adjust = nullptr)
      : TestServer(yaml(section), nullptr, {&test::LinkedPlugin<Warden>::entry},
                   {{"intruder", ISOLATION_INTRUDER}}, std::move(adjust)) {
    REQUIRE(start_error() == "");
  }
  // Returns the errno of the attempt; 0: it succeeded; -1: no answer.
  int64_t attempt(const std::string& what, const std::string& path = "", int64_t pid = 0) {
    const auto outcome = Warden::current->call(Intruder::attempt, {what, path, pid});
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
  Prison prison("");
  CHECK(prison.attempt("read", prison.data() / "sealing.key") == 0);
  CHECK(prison.attempt("list", prison.data()) == 0);
  CHECK(prison.attempt("signal", "", ::getppid()) == 0);
  CHECK(prison.attempt("udp") == 0);
}

TEST_CASE("an isolated plugin does not reach the files of the server and of other plugins") {
  if (!has_landlock()) return;
  Prison prison("isolation: process");
  std::filesystem::create_directories(prison.data() / "other");
  write_file(prison.data() / "other" / "note");
  for (const char* file : {"sealing.key", "patchbay.db", "other/note", "../patchbay.yaml"}) {
    CAPTURE(file);
    CHECK(prison.attempt("read", prison.data() / file) == EACCES);
    CHECK(prison.attempt("write", prison.data() / file) == EACCES);
    CHECK(prison.attempt("remove", prison.data() / file) == EACCES);
  }
  CHECK(prison.attempt("list", prison.data()) == EACCES);
  CHECK(prison.attempt("list", "/") == EACCES);
  CHECK(prison.attempt("write", prison.data() / "new") == EACCES);
  CHECK(prison.attempt("read", "/etc/shadow") == EACCES);
  CHECK(prison.attempt("read", "/proc/" + std::to_string(::getpid()) + "/environ") == EACCES);
  CHECK(prison.says("ready", R"("isolation":"contained")"));
  CHECK(prison.core().stop().ok());
}

TEST_CASE("an isolated plugin keeps what it needs") {
  test::TemporaryFolder elsewhere;
  write_file(elsewhere.path() / "named");
  std::filesystem::create_directory(elsewhere.path() / "given");
  Prison prison("isolation: process, file: " + (elsewhere.path() / "named").string() + ", paths: [" +
                (elsewhere.path() / "given").string() + "]");
  CHECK(prison.attempt("write", prison.data() / "intruder" / "note") == 0);
  CHECK(prison.attempt("read", prison.data() / "intruder" / "note") == 0);
  CHECK(prison.attempt("list", prison.data() / "intruder") == 0);
  CHECK(prison.attempt("read", elsewhere.path() / "named") == 0);
  CHECK(prison.attempt("write", elsewhere.path() / "given" / "new") == 0);
  CHECK(prison.attempt("read", "/usr/lib/os-release") == 0);
  CHECK(prison.attempt("read", "/dev/urandom") == 0);
  CHECK(prison.attempt("udp") == 0);
  CHECK(prison.attempt("thread") == 0);
  CHECK(prison.attempt("resolve") == 0);
  if (core::isolation::landlock_version() > 0)
    CHECK(prison.attempt("write", elsewhere.path() / "other") == EACCES);

  // A configuration that names other files needs a new process.
  write_file(elsewhere.path() / "second");
  const Status reloaded =
      prison.reload(yaml("isolation: process, file: " + (elsewhere.path() / "second").string() +
                         ", paths: [" + (elsewhere.path() / "given").string() + "]"));
  CHECK((reloaded ? "" : reloaded.error().text) == "");
  CHECK(prison.says("metrics", "patchbay_plugin_restarts_total{plugin=\"intruder\"} 1"));
  CHECK(prison.attempt("read", elsewhere.path() / "second") == 0);
  CHECK(prison.core().stop().ok());
}

TEST_CASE("an isolated plugin reaches no other process, no kernel and no machine") {
  Prison prison("isolation: process");
  const pid_t server = ::getpid();
  CHECK(prison.attempt("signal", "", server) == EPERM);
  CHECK(prison.attempt("signal", "", 0) == EPERM);
  CHECK(prison.attempt("signal", "", -1) == EPERM);
  CHECK(prison.attempt("trace", "", server) == EPERM);
  for (const char* what :
       {"memory", "mount", "namespace", "root", "ring", "bpf", "keys", "faults", "handle", "packets"}) {
    CAPTURE(what);
    CHECK(prison.attempt(what, prison.data() / "intruder", server) == EPERM);
  }
  CHECK(prison.attempt("connect", prison.admin_socket()) == EPERM);
  CHECK(prison.core().stop().ok());
}

TEST_CASE("a plugin that hangs in a separate process is restarted, wherever it hangs") {
  Prison prison("isolation: process", [](CoreOptions& options) { options.start_deadline_ms = 6000; });
  std::string where;
  SUBCASE("on its main strand") { where = "main"; }
  SUBCASE("on another strand") { where = "strand"; }
  SUBCASE("on its media loop") { where = "media"; }
  const auto answer = Warden::current->call(Intruder::hang, {where});
  CHECK((answer.ok() ? Code::ok : answer.error().code) == (where == "main" ? Code::gone : Code::ok));
  CHECK(prison.says("metrics", "patchbay_plugin_restarts_total{plugin=\"intruder\"} 1"));
  CHECK(prison.log().find("it did not answer for") != std::string::npos);
  CHECK(prison.attempt("thread") == 0);
  CHECK(prison.core().stop().ok());
}

TEST_CASE("the crash banner of an isolated plugin names the plugin and its callback") {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "words").string();
  const int before = ::dup(STDERR_FILENO);
  const int words = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::dup2(words, STDERR_FILENO) == STDERR_FILENO);
  {
    Prison prison("isolation: process");
    CHECK(Warden::current->call(Intruder::crash, {}).error().code == Code::gone);
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

TEST_CASE("a plugin that stops while its own work runs on is not destroyed, and its server says why") {
  Prison prison("isolation: process");
  CHECK(Warden::current->call(Intruder::linger, {}).ok());
  const Status stopped = prison.core().stop();
  REQUIRE(!stopped.ok());
  CAPTURE(stopped.error().text);
  CHECK(stopped.error().text.find("still under way: 1 job on a worker") != std::string::npos);
}
