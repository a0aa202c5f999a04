// ServerProcess: a kills-server, spoken to through pipes. What ask() returned was acknowledged to somebody
// outside of the process that will be killed.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace kills {

struct Request {
  std::string method, route;
  std::string discriminator;
  std::string params = "{}", headers = "{}", body;  // JSON, in one line
};

struct Answer {
  int status = 0;
  std::string headers, body;
};

class ServerProcess {
 public:
  struct Options {
    std::string program, config, plugins, log;
    int drain_ms = 10'000;
  };
  explicit ServerProcess(const Options& options);
  ~ServerProcess();

  // Whether it said that it is ready, within 30 s.
  bool wait_ready();
  // [any thread] Nothing when the process ends before it answers.
  std::optional<Answer> ask(const Request& request);

  void kill();       // SIGKILL; gone when it returns
  void terminate();  // SIGTERM
  // The exit code, -1 for a killed one; waits at most 60 s, then kills.
  int wait();

 private:
  void read_answers();
  void take(const std::string& line);

  int pid_ = -1;
  int in_ = -1, out_ = -1;
  std::mutex write_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false, ended_ = false;
  int next_ = 0;
  std::map<int, Answer> answers_;
  std::thread reader_;
};

}  // namespace kills
