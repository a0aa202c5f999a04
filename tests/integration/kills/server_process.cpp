#include "server_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <vector>

extern char** environ;

namespace kills {

using namespace std::chrono_literals;

ServerProcess::ServerProcess(const Options& options) {
  int to[2], from[2];
  REQUIRE(::pipe2(to, O_CLOEXEC) == 0);
  REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
  std::vector<std::string> words = {options.program, options.config, options.plugins, options.log,
                                    std::to_string(options.drain_ms)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  REQUIRE(posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]);
  ::close(from[1]);
  in_ = to[1];
  out_ = from[0];
  reader_ = std::thread([this] { read_answers(); });
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) kill();
  reader_.join();
  ::close(in_);
  ::close(out_);
}

void ServerProcess::read_answers() {
  std::string text;
  char buffer[65536];
  for (ssize_t size; (size = ::read(out_, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(size));
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      take(text.substr(0, end));
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void ServerProcess::take(const std::string& line) {
  std::istringstream fields(line);
  std::string id, status;
  Answer answer;
  std::getline(fields, id, '\t');
  std::getline(fields, status, '\t');
  std::getline(fields, answer.headers, '\t');
  std::getline(fields, answer.body);
  const std::lock_guard lock(mutex_);
  if (id == "ready") {
    ready_ = true;
  } else if (id == "refused") {
    MESSAGE(line);
  } else {
    answer.status = std::atoi(status.c_str());
    answers_[std::atoi(id.c_str())] = std::move(answer);
  }
  changed_.notify_all();
}

bool ServerProcess::wait_ready() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, 30s, [this] { return ready_ || ended_; });
  return ready_;
}

std::optional<Answer> ServerProcess::ask(const Request& request) {
  int id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++next_;
  }
  const std::string line = std::to_string(id) + "\t" + request.method + "\t" + request.route + "\t" +
                           request.discriminator + "\t" + request.params + "\t" + request.headers + "\t" +
                           request.body + "\n";
  {
    const std::lock_guard lock(write_mutex_);
    if (::write(in_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return {};
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, 30s, [&] { return ended_ || answers_.count(id) != 0; });
  const auto found = answers_.find(id);
  if (found == answers_.end()) return {};
  Answer answer = std::move(found->second);
  answers_.erase(found);
  return answer;
}

void ServerProcess::kill() {
  ::kill(pid_, SIGKILL);
  wait();
}

void ServerProcess::terminate() { ::kill(pid_, SIGTERM); }

int ServerProcess::wait() {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 60s, [this] { return ended_; })) ::kill(pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace kills
