// ServerProcess: `patchbay serve` in a child process that tests kill; requests go over its admin socket. What
// ask() has returned counts as acknowledged.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kills {

struct Request {
  std::string method, path;
  std::string headers;  // one per line
  std::string body;
};

struct Answer {
  int status = 0;
  std::string head, body;
};

class ServerProcess {
 public:
  // Starts a server with `folder`/patchbay.yaml; its log is appended to `folder`/log. `before`: a command
  // that runs the server, which is its last arguments.
  explicit ServerProcess(const std::string& folder, std::vector<std::string> before = {});
  ~ServerProcess();

  // Waits at most 30 s until it is ready and has its routes.
  bool wait_ready();
  // [any thread] nullopt when the process ends before the complete answer.
  std::optional<Answer> ask(const Request& request) const;
  // [any thread] The same at the public port, as a client of the tenant.
  std::optional<Answer> ask_public(const Request& request) const;

  void kill();       // SIGKILL; waits for its end
  void pause();      // SIGSTOP
  void resume();     // SIGCONT
  void terminate();  // SIGTERM
  // Waits at most 60 s, then kills. Returns the exit code, -1 for a killed process.
  int wait();

 private:
  void read_log();

  const std::string folder_;
  int pid_ = -1;
  int log_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false, ended_ = false;
  std::thread reader_;
};

}  // namespace kills
