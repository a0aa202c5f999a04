// ChildProcess: one run of patchbay-plugin-host, and the thread that starts it, reads from it and reaps it.
#pragma once

#include <patchbay/descriptor.h>
#include <patchbay/function.h>
#include <patchbay/result.h>
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "isolation/channel.h"
#include "runtime/process_times.h"

namespace patchbay::core::isolation {

struct ChildCommand {
  std::string program;
  std::string plugin_file;
  std::string id;
  std::string data_folder;         // of the server; contains the plugin's folder
  std::vector<std::string> paths;  // other files of the server that the plugin may reach
};

// One line for people: "its process was ended by signal 11 (Segmentation fault)". `status` is of waitpid.
std::string describe_exit(int status);

class ChildProcess {
 public:
  using OnFrame = Function<void(std::string frame, Descriptor fd)>;
  // Error: how the process ended. No error: it exited with code 0.
  using OnEnd = Function<void(Status how)>;

  // Calls both on its own thread; on_end last, once the process has ended or could not be started. `times`
  // counts the process.
  static Result<std::unique_ptr<ChildProcess>> start(ChildCommand command, ProcessTimes& times,
                                                     OnFrame on_frame, OnEnd on_end);
  // After on_end.
  ~ChildProcess();

  Channel& channel() noexcept { return channel_; }  // its send(), waiting() and finish()
  // [any] A frame of that size has been processed.
  void processed(size_t bytes);
  // [any] Kills it with the processes that it started, and ends the channel.
  void kill();

 private:
  ChildProcess(ChildCommand command, ProcessTimes& times, Descriptor ours, Descriptor theirs,
               OnFrame on_frame, OnEnd on_end);
  void run();
  Status spawn();
  void read();
  int reap();
  void wait_for_processing(size_t bytes);

  // borrowed
  ProcessTimes& times_;
  // owned
  const ChildCommand command_;
  Descriptor theirs_;
  Channel channel_;
  const OnFrame on_frame_;
  const OnEnd on_end_;
  // state
  std::mutex mutex_;
  std::condition_variable changed_;
  pid_t pid_ = -1;  // and process group; guarded by mutex_; -1: not started, or reaped
  Descriptor pidfd_;
  bool killed_ = false;
  size_t unprocessed_ = 0;
  size_t unprocessed_bytes_ = 0;
  std::thread thread_;
};

}  // namespace patchbay::core::isolation
