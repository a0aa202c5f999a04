// A child process of a test, killed by the destructor; its output goes to a file.
#pragma once

#include <patchbay/result.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace patchbay::test {

class Child {
 public:
  // Standard output and error go to `output_path`, standard input is empty.
  static Result<Child> spawn(const std::vector<std::string>& command, const std::string& working_folder,
                             const std::string& output_path);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  // Returns the exit code (128 + the signal for a killed process), or nullopt when it still runs after
  // `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);
  pid_t pid() const noexcept { return pid_; }
  bool running() { return !wait(std::chrono::milliseconds(0)); }
  void signal(int number) const;
  // SIGTERM, and SIGKILL after ten seconds.
  void stop();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<int> code_;
};

// A temporary folder, removed with its contents by the destructor.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path);

}  // namespace patchbay::test
