#include "observe/log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

using namespace patchbay::core::observe;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/patchbay-log-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const char* name) const { return path + "/" + name; }
  std::vector<std::string> lines(const char* name) const {
    std::ifstream in(file(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  std::string path;
};

std::unique_ptr<Log> open_log(const std::string& file, Level level = Level::info) {
  auto log = Log::open({Format::text, level, file});
  CHECK(log.ok());
  return std::move(log).value();
}

}  // namespace

TEST_CASE("events at or above the level are written, others not") {
  const Folder folder;
  const auto log = open_log(folder.file("log"), Level::warn);
  CHECK_FALSE(log->enabled(Level::info));
  log->write({Level::info, "core", "", "quiet", nullptr, 0});
  log->write({Level::warn, "core", "", "loud %n {}", nullptr, 0});
  log->set_level(Level::debug);
  log->write({Level::debug, "core", "", "detail", nullptr, 0});
  log->set_format(Format::json);
  log->write({Level::info, "core", "", "as JSON", nullptr, 0});
  log->flush();
  const auto lines = folder.lines("log");
  CHECK(lines.size() == 3);
  if (lines.size() != 3) return;
  CHECK(lines[0].find("loud %n {}") != std::string::npos);
  CHECK(lines[1].find("detail") != std::string::npos);
  CHECK(lines[2].front() == '{');
  CHECK(log->dropped() == 0);
}

TEST_CASE("threads never mix their lines") {
  const Folder folder;
  const auto log = open_log(folder.file("log"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      const std::string text(300, static_cast<char>('a' + t));
      for (int i = 0; i < 200; ++i) log->write({Level::info, "core", "", text, nullptr, 0});
    });
  for (auto& thread : threads) thread.join();
  log->flush();
  const auto lines = folder.lines("log");
  CHECK(lines.size() == 800);
  for (const std::string& line : lines) CHECK(line.size() == lines.front().size());
}

TEST_CASE("reopen() starts a new file after the old one was moved") {
  const Folder folder;
  const auto log = open_log(folder.file("log"));
  log->write({Level::info, "core", "", "before", nullptr, 0});
  std::filesystem::rename(folder.file("log"), folder.file("log.1"));
  CHECK(log->reopen().ok());
  log->write({Level::info, "core", "", "after", nullptr, 0});
  log->flush();
  CHECK(folder.lines("log.1").size() == 1);
  CHECK(folder.lines("log").size() == 1);
}

TEST_CASE("a file that cannot be opened is an error, standard error always opens") {
  CHECK_FALSE(Log::open({Format::text, Level::info, "/nonexistent/log"}).ok());
  CHECK(Log::open({}).ok());
}

TEST_CASE("a reader that stops reading costs lines, not time, and the gap is announced") {
  const Folder folder;
  const std::string pipe = folder.file("pipe");
  CHECK(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const auto log = open_log(pipe);
  const std::string text(4000, 'x');
  for (int i = 0; i < 3000; ++i) log->write({Level::info, "core", "", text, nullptr, 0});
  CHECK(log->dropped() > 1000);
  log->write({Level::warn, "core", "", "warnings have room that others have not", nullptr, 0});

  std::string seen;
  std::vector<char> buffer(1 << 20);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const uint64_t dropped = log->dropped();
  const std::string announcement = "could be written count=" + std::to_string(dropped) + "\n";
  const std::string warning = "warnings have room that others have not\n";
  const auto complete = [&] {
    return seen.find(announcement) < seen.size() && seen.find(warning) < seen.size();
  };
  while (!complete() && std::chrono::steady_clock::now() < end) {
    const ssize_t size = ::read(reader, buffer.data(), buffer.size());
    if (size > 0) seen.append(buffer.data(), static_cast<size_t>(size));
  }
  CHECK(complete());
  CHECK(log->dropped() == dropped);
  ::close(reader);
}
