// ServerProcess: `patchbay serve` in a process that may be killed, asked over its admin socket. What ask()
// returned was acknowledged to somebody outside of that process.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace kills {

struct Request {
  std::string method, path;
  std::string headers;  // lines of their own
  std::string body;
};

struct Answer {
  int status = 0;
  std::string head, body;
};

class ServerProcess {
 public:
  // A server on `folder`/patchbay.yaml; its log is added to `folder`/log.
  explicit ServerProcess(const std::string& folder);
  ~ServerProcess();

  // Whether it said that it is ready, within 30 s, and has its routes.
  bool wait_ready();
  // [any thread] Nothing when the process ends before the whole answer is there.
  std::optional<Answer> ask(const Request& request) const;

  void kill();       // SIGKILL; gone when it returns
  void terminate();  // SIGTERM
  // The exit code, -1 for a killed one; waits at most 60 s, then kills.
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
