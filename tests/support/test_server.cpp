#include "support/test_server.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "support/test_store.h"

namespace patchbay::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "patchbay-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

TestServer::TestServer(const std::string& yaml, core::ManualClock* clock, std::vector<const pb_entry*> linked,
                       const std::map<std::string, std::string>& files,
                       std::function<void(CoreOptions&)> adjust)
    : plugin_dir_(PATCHBAY_TEST_PLUGINS),
      yaml_(yaml),
      clock_(clock),
      linked_(std::move(linked)),
      adjust_(std::move(adjust)) {
  if (!files.empty()) gather_plugins(files);
  open();
}

TestServer::~TestServer() {
  if (core_) static_cast<void>(core_->stop());
}

// A plugin folder of symbolic links.
void TestServer::gather_plugins(const std::map<std::string, std::string>& files) {
  const auto folder = folder_.path() / "plugins";
  std::filesystem::create_directory(folder);
  for (const auto& file : std::filesystem::directory_iterator(plugin_dir_))
    std::filesystem::create_symlink(file.path(), folder / file.path().filename());
  for (const auto& [id, file] : files) std::filesystem::create_symlink(file, folder / (id + ".so"));
  plugin_dir_ = folder.string();
}

void TestServer::write_config() const {
  std::ofstream(folder_.path() / "patchbay.yaml")
      << "server: {data: data, log: {level: debug}, management: {listen: \"127.0.0.1:0\"}"
      << (on_postgres() ? ", store: \"" + test_store(data() / "patchbay.db") + "\"" : "") << "}\n"
      << yaml_;
}

Status TestServer::reload(const std::string& yaml) {
  yaml_ = yaml;
  write_config();
  return core_->reload();
}

void TestServer::open() {
  write_config();
  CoreOptions options;
  options.config_file = (folder_.path() / "patchbay.yaml").string();
  options.linked_plugins = linked_;
  options.plugin_dir = plugin_dir_;
  options.plugin_host = PATCHBAY_TEST_PLUGIN_HOST;
  options.environment.emplace();
  options.clock = clock_;
  options.log_file = (folder_.path() / "log").string();
  if (adjust_) adjust_(options);
  auto core = Core::create(std::move(options));
  if (!core) FAIL(core.error().text);
  core_ = std::move(*core);
  const Status started = core_->start();
  start_error_ = started ? std::string() : started.error().text;
}

void TestServer::restart() {
  static_cast<void>(core_->stop());
  core_.reset();
  open();
}

std::string TestServer::log() const {
  if (core_) core_->flush_log();
  std::ostringstream all;
  all << std::ifstream(folder_.path() / "log").rdbuf();
  return all.str();
}

}  // namespace patchbay::test
