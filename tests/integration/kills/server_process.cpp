#include "server_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "support/child_process.h"

extern char** environ;

namespace kills {
namespace {

using namespace std::chrono_literals;

constexpr timeval kPatience{60, 0};

// Connected, or -1.
int connect_to(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
  ::close(fd);
  return -1;
}

// The same, to a port of this machine.
int connect_to(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
  ::close(fd);
  return -1;
}

std::string send_and_read(int fd, const std::string& request) {
  std::string reply;
  std::array<char, 16384> buffer;
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    return {};
  for (ssize_t size; (size = ::read(fd, buffer.data(), buffer.size())) > 0;)
    reply.append(buffer.data(), static_cast<size_t>(size));
  return reply;
}

// Nothing unless all of it is there.
std::optional<Answer> parse(const std::string& reply) {
  const size_t end = reply.find("\r\n\r\n");
  if (end == std::string::npos || reply.rfind("HTTP/1.1 ", 0) != 0) return {};
  Answer answer{std::atoi(reply.c_str() + 9), reply.substr(0, end), reply.substr(end + 4)};
  const size_t length = answer.head.find("\r\nContent-Length: ");
  if (length == std::string::npos) return {};
  if (answer.body.size() != std::strtoull(answer.head.c_str() + length + 18, nullptr, 10)) return {};
  return answer;
}

std::optional<Answer> exchange(int fd, const Request& request) {
  if (fd < 0) return {};
  const std::string reply = send_and_read(
      fd, request.method + " " + request.path + " HTTP/1.1\r\nHost: acme.example\r\nConnection: close\r\n" +
              request.headers + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" +
              request.body);
  ::close(fd);
  return parse(reply);
}

}  // namespace

ServerProcess::ServerProcess(const std::string& folder, std::vector<std::string> command) : folder_(folder) {
  std::array<int, 2> ends;
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  command.insert(command.end(), {PATCHBAY_PROGRAM, "serve", "-c", folder + "/patchbay.yaml", "--plugin-dir",
                                 PATCHBAY_TEST_PLUGINS});
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  REQUIRE(posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  log_ = ends[0];
  reader_ = std::thread([this] { read_log(); });
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) kill();
  reader_.join();
  ::close(log_);
}

void ServerProcess::read_log() {
  std::ofstream file(folder_ + "/log", std::ios::app);
  std::string said;  // until it is ready
  std::array<char, 16384> buffer;
  for (ssize_t size; (size = ::read(log_, buffer.data(), buffer.size())) > 0;) {
    file.write(buffer.data(), size);
    if (ready_) continue;
    said.append(buffer.data(), static_cast<size_t>(size));
    if (said.find("patchbay: ready, ") == std::string::npos) continue;
    const std::lock_guard lock(mutex_);
    ready_ = true;
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool ServerProcess::wait_ready() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 60s, [this] { return ready_ || ended_; });
    if (!ready_) return false;
  }
  // Routes come to the port a moment after their plugins have started.
  for (const char* last :
       {"/api.ashx/v1/calls/none/hangup", "/signal.ashx?whitelist=write", "/api.ashx/v1/admin/webhooks",
        "/api.ashx/v1/admin/keys", "/api.ashx/v1/admin/shares"}) {
    for (int i = 0; i < 1000; ++i) {
      const auto answer = ask({"POST", last, "", ""});
      if (answer && answer->body.find("nothing at this path") == std::string::npos) break;
      std::this_thread::sleep_for(10ms);
    }
  }
  return true;
}

std::optional<Answer> ServerProcess::ask(const Request& request) const {
  return exchange(connect_to(folder_ + "/data/admin.sock"), request);
}

std::optional<Answer> ServerProcess::ask_public(const Request& request) const {
  const std::string listening = patchbay::test::read_text(folder_ + "/data/listening.json");
  const size_t host = listening.find("127.0.0.1:", listening.find("\"public\""));
  if (host == std::string::npos) return {};
  return exchange(connect_to(static_cast<uint16_t>(std::atoi(listening.c_str() + host + 10))), request);
}

void ServerProcess::kill() {
  ::kill(pid_, SIGKILL);
  wait();
}

void ServerProcess::pause() { ::kill(pid_, SIGSTOP); }

void ServerProcess::resume() { ::kill(pid_, SIGCONT); }

void ServerProcess::terminate() { ::kill(pid_, SIGTERM); }

int ServerProcess::wait() {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 60s, [this] { return ended_; })) ::kill(pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace kills
