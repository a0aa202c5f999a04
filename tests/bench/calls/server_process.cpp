#include "bench/calls/server_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace patchbay::bench {
namespace {

// Each call needs sockets here and in the server, which inherits the limit.
void raise_file_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void die(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

ServerProcess::ServerProcess(const std::string& config, const std::vector<std::string>& tool) {
  raise_file_limit();
  std::ofstream(file("patchbay.yaml")) << config;
  if (::mkfifo(file("commands").c_str(), 0600) != 0) die("no named pipe");
  commands_ = ::open(file("commands").c_str(), O_RDWR | O_CLOEXEC);
  std::vector<std::string> command = tool;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const auto& part :
       {self, std::string("--server"), file("patchbay.yaml"), file("log"), file("commands")})
    command.push_back(part);
  auto process = test::Child::spawn(command, folder_.path(), file("output"));
  if (!process) die(process.error().text);
  process_ = *std::move(process);
  pid_t pid = -1;
  const bool ready = wait_until([&] {
    const std::string said = test::read_text(file("output"));
    const size_t at = said.find("ready ");
    if (at != std::string::npos) pid = std::atoi(said.c_str() + at + 6);
    return at != std::string::npos || !process_->running();
  });
  if (!ready || pid < 0 || ::clock_getcpuclockid(pid, &clock_) != 0)
    die("the server has not started: " + test::read_text(file("output")) + log());
}

ServerProcess::~ServerProcess() { ::close(commands_); }

Status ServerProcess::command(const std::string& command, std::chrono::seconds limit) {
  const std::string number = std::to_string(++number_) + " ";
  const std::string line = number + command + "\n";
  if (::write(commands_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return {Code::failed, "the server takes no commands"};
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    const std::string said = test::read_text(file("output"));
    const size_t at = said.find("\n" + number), end = said.find('\n', at + 1);
    if (at != std::string::npos && end != std::string::npos) {
      const std::string answer = said.substr(at + 1 + number.size(), end - at - 1 - number.size());
      return answer == "ok" ? Status() : Status(Code::failed, answer);
    }
    if (!process_->running()) return {Code::failed, "the server has ended: " + log()};
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {Code::timeout, "the server has not obeyed: " + command};
}

double ServerProcess::metric(const std::string& name) {
  if (!command("metrics")) return 0;
  double sum = 0;
  std::ifstream metrics(file("metrics"));
  for (std::string line; std::getline(metrics, line);) {
    const size_t end = line.find_first_of("{ ");
    if (line.substr(0, end) == name) sum += std::strtod(line.c_str() + line.rfind(' '), nullptr);
  }
  return sum;
}

double ServerProcess::cpu_ns() const {
  timespec now{};
  if (::clock_gettime(clock_, &now) != 0) die("the server has ended: " + log());
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

}  // namespace patchbay::bench
