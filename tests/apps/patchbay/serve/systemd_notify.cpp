#include "serve/systemd_notify.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/child_process.h"

namespace {

// Receives as systemd does: a datagram socket with a path or ('@') an abstract name.
class Manager {
 public:
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length) == 0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~Manager() {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(fd_);
  }
  std::string received() const {
    std::array<char, 256> text{};
    const ssize_t size = ::recv(fd_, text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text.data(), static_cast<size_t>(size));
  }

 private:
  int fd_;
};

}  // namespace

TEST_CASE("the service manager is notified at the socket that it names") {
  const patchbay::test::TempFolder folder;
  const std::string abstract = "@patchbay-test-" + std::to_string(::getpid());
  for (const std::string& name : {folder.file("notify"), abstract}) {
    CAPTURE(name);
    const Manager manager(name);
    CHECK(patchbay::app::notify_service_manager("READY=1"));
    CHECK(manager.received() == "READY=1");
  }
}

TEST_CASE("without a service manager nothing is sent") {
  ::unsetenv("NOTIFY_SOCKET");
  CHECK_FALSE(patchbay::app::notify_service_manager("READY=1"));
  ::setenv("NOTIFY_SOCKET", "/there/is/no/such/socket", 1);
  CHECK_FALSE(patchbay::app::notify_service_manager("READY=1"));
  ::unsetenv("NOTIFY_SOCKET");
}
