// TestServer: a whole core in this process, on a data folder of its own, with the plugins of the build.
#pragma once

#include <patchbay/core.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace patchbay::test {

// A folder under the temporary directory, removed with everything in it.
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
  // `yaml` holds `plugins:` and `tenants:`; `server:` is added with the data folder. Fails the test when the
  // configuration is refused. The clock, if given, must outlive the server. `files`, by id, are plugins
  // beside those of the build. `adjust` changes what the core is made with, each time it is.
  explicit TestServer(const std::string& yaml, core::ManualClock* clock = nullptr,
                      std::vector<const pb_entry*> linked = {},
                      const std::map<std::string, std::string>& files = {},
                      std::function<void(CoreOptions&)> adjust = nullptr);
  ~TestServer();

  // "" when all plugins run, else what they said.
  const std::string& start_error() const noexcept { return start_error_; }
  Core& core() noexcept { return *core_; }
  std::filesystem::path data() const { return folder_.path() / "data"; }
  std::filesystem::path admin_socket() const { return data() / "admin.sock"; }
  std::string log() const;  // all lines so far

  // Ends this core and starts another on the same data folder.
  void restart();
  // Writes another configuration and has the running core take it.
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
