// The program `patchbay`: start, signals, exit codes.
#include "integration/program.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <string>

using namespace patchbay;
using test::Child;
using test::kPatience;
using test::Program;

namespace {

constexpr const char* kMinimal =
    "server: {data: data, management: {listen: \"127.0.0.1:0\"}}\nplugins: {media: {}}\n";

}  // namespace

TEST_CASE("serve reports when it is ready, reloads on SIGHUP and stops on SIGTERM") {
  const Program program(kMinimal);
  Child server = program.run({"serve"});
  REQUIRE(program.says("ready, patchbay.yaml: media"));
  server.signal(SIGHUP);
  CHECK(program.says("the configuration was read again and applied"));
  program.write("server: {data: data}\nplugins: {media: {volume: 11}}\n");
  server.signal(SIGHUP);
  CHECK(program.says("not reloaded: "));
  CHECK(program.says("patchbay.yaml:2:"));
  server.signal(SIGTERM);
  CHECK(server.wait(kPatience) == 0);
  CHECK(program.output().find("stopping") != std::string::npos);
}

TEST_CASE("a changed configuration file is applied, and an invalid one leaves the old configuration") {
  const Program program(kMinimal);
  Child server = program.run({"serve"});
  REQUIRE(program.says("ready, patchbay.yaml: media"));
  program.write("server: {data: data}\nplugins: {media: {vol");
  CHECK(program.says("the configuration file has changed"));
  CHECK(program.says("not reloaded: "));
  program.write(kMinimal);
  CHECK(program.says("the configuration was read again and applied"));
  server.signal(SIGTERM);
  CHECK(server.wait(kPatience) == 0);
}

TEST_CASE("with --no-watch a changed configuration file waits for SIGHUP") {
  const Program program(kMinimal);
  Child server = program.run({"serve", "--no-watch"});
  REQUIRE(program.says("ready, patchbay.yaml: media"));
  program.write(std::string(kMinimal) + "# changed\n");
  server.signal(SIGHUP);
  CHECK(program.says("the configuration was read again and applied"));
  server.signal(SIGTERM);
  CHECK(server.wait(kPatience) == 0);
  CHECK(program.output().find("has changed") == std::string::npos);
}

TEST_CASE("a second server on the same data is refused") {
  const Program program(kMinimal);
  Child first = program.run({"serve"});
  REQUIRE(program.says("ready"));
  Child second = program.run({"serve"});
  CHECK(second.wait(kPatience) == 4);
  CHECK(program.output().find("the store in") != std::string::npos);
}

TEST_CASE("check reports file, line and key, and what to write instead") {
  const Program program("server: {data: data}\nplugins:\n  meda: {}\n");
  CHECK(program.run({"check"}).wait(kPatience) == 4);
  CHECK(program.output().find("patchbay.yaml:3:3: plugins.meda is not") != std::string::npos);
  CHECK(program.output().find("media") != std::string::npos);
  program.write(kMinimal);
  CHECK(program.run({"check"}).wait(kPatience) == 0);
  CHECK(program.output().find("is fine") != std::string::npos);
  CHECK(program.run({"check", "--json"}, "json").wait(kPatience) == 0);
  CHECK(program.output("json") == "{\"usable\":true,\"warnings\":[]}\n");
}

TEST_CASE("a server whose port cannot be opened exits") {
  // Another socket has the port.
  const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(taken, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(taken, 1) == 0);
  REQUIRE(::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const Program program("server: {data: data}\nplugins: {rest-api: {listen: \"127.0.0.1:" +
                        std::to_string(ntohs(address.sin_port)) + "\"}, media: {}}\n");
  CHECK(program.run({"serve"}).wait(kPatience) == 4);
  CHECK(program.output().find("rest-api not started: ") != std::string::npos);
  CHECK(program.output().find("rest-api does not run: without it the server cannot be reached, and stops") !=
        std::string::npos);
  ::close(taken);
}

TEST_CASE("a configuration without running plugins is an error") {
  const Program program("server: {data: data}\n");
  CHECK(program.run({"serve"}).wait(kPatience) == 4);
}
