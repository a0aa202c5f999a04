// ServerProcess: the measured server (server.h) in a process, and its commands.
#pragma once

#include <patchbay/result.h>
#include <time.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.h"

namespace patchbay::bench {

[[noreturn]] void die(const std::string& why);

// Waits at most a minute.
template <class Done>
bool wait_until(Done done) {
  for (int i = 0; i < 3000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    if (done()) return true;
  return false;
}

class ServerProcess {
 public:
  // Starts it, and waits until its plugins have started. `tool`: a command that runs it, as valgrind does.
  ServerProcess(const std::string& config, const std::vector<std::string>& tool = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Sends a command, and waits at most `limit` for its end.
  Status command(const std::string& command, std::chrono::seconds limit = std::chrono::seconds(300));
  // The sum of a metric's series now; 0 if there is none.
  double metric(const std::string& name);
  // The processor time of all its threads so far, including the kernel's part.
  double cpu_ns() const;
  // A file of its folder.
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string log() const { return test::read_text(file("log")); }

 private:
  test::TempFolder folder_;
  std::optional<test::Child> process_;
  int commands_ = -1;
  int number_ = 0;
  clockid_t clock_ = 0;
};

}  // namespace patchbay::bench
