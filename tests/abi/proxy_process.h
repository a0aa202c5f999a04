// The child process and the thread that reads from it.
#pragma once

#include <patchbay/function.h>
#include <patchbay/result.h>
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "channel.h"

namespace patchbay::isolated {

class ProxyProcess {
 public:
  using OnFrame = Function<void(std::string frame, int fd)>;  // the descriptor is the callee's
  using OnEnd = Function<void(int status)>;                   // of waitpid

  // Both callbacks come on a thread of its own; on_end last, once the process has ended and been reaped.
  static Result<std::unique_ptr<ProxyProcess>> spawn(const std::string& program,
                                                     const std::string& plugin_file, const std::string& id,
                                                     OnFrame on_frame, OnEnd on_end);
  // After on_end.
  ~ProxyProcess();

  bool send(std::string frame) { return channel_.send(std::move(frame)); }  // [any]
  void finish() { channel_.finish(); }                                      // [any]
  void kill();                                                              // [any] SIGKILL

 private:
  ProxyProcess(int fd, pid_t pid, OnFrame on_frame, OnEnd on_end);
  void read();
  int reap();

  const pid_t pid_;
  Channel channel_;
  OnFrame on_frame_;
  OnEnd on_end_;
  std::mutex mutex_;
  bool reaped_ = false;  // guarded by mutex_: the pid may be another's from then on
  std::thread reader_;
};

}  // namespace patchbay::isolated
