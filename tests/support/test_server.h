// TestServer: a whole core in this process, with a temporary data folder and the plugins of the build.
#pragma once

#include <patchbay/core.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace patchbay::test {

// A temporary folder, removed with its contents by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

class TestServer {
 public:
  // `yaml` has `plugins:` and `tenants:`; `server:` is added with the data folder. Fails the test when the
  // configuration is refused. The clock, if given, must outlive the server. `files`, by id, are plugins in
  // addition to those of the build. `adjust` changes the options each time a core is created.
  explicit TestServer(const std::string& yaml, core::ManualClock* clock = nullptr,
                      std::vector<const pb_entry*> linked = {},
                      const std::map<std::string, std::string>& files = {},
                      std::function<void(CoreOptions&)> adjust = nullptr);
  ~TestServer();

  // "" when all plugins run, else their errors.
  const std::string& start_error() const noexcept { return start_error_; }
  Core& core() noexcept { return *core_; }
  std::filesystem::path data() const { return folder_.path() / "data"; }
  std::filesystem::path admin_socket() const { return data() / "admin.sock"; }
  std::string log() const;  // all lines so far

  // Stops this core and starts another on the same data folder.
  void restart();
  // Writes another configuration and reloads it.
  Status reload(const std::string& yaml);

 private:
  void write_config() const;
  void gather_plugins(const std::map<std::string, std::string>& files);
  void open();

  TemporaryFolder folder_;
  std::string plugin_dir_;
  std::string yaml_;
  core::ManualClock* clock_;
  const std::vector<const pb_entry*> linked_;
  const std::function<void(CoreOptions&)> adjust_;
  std::unique_ptr<Core> core_;
  std::string start_error_;
};

}  // namespace patchbay::test
