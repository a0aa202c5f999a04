// Server-sent events of a plugin's route.
#include <thread>

#include "stream_server.h"

using namespace rest_api_test;

namespace {

std::string read_to(Client& client, const std::string& end) {
  while (client.rest().find(end) == std::string::npos)
    if (!client.read_some()) break;
  return client.rest();
}

std::string event_request(const std::string& target, const std::string& extra = {},
                          const char* version = "HTTP/1.1") {
  return "GET " + target + " " + version + "\r\nHost: a.example\r\n" + extra + "\r\n";
}

}  // namespace

TEST_CASE("events are chunks of id, event and data lines, with comments in between") {
  const StreamServer server;
  Client client(server.port);
  client.send(event_request("/s/events", "Last-Event-ID: 7\r\n"));
  const std::string all = read_to(client, "3\r\n:\n\n\r\n3\r\n:\n\n\r\n");
  CHECK(has(all, "HTTP/1.1 200 OK\r\n"));
  CHECK(has(all, "Content-Type: text/event-stream\r\n"));
  CHECK(has(all, "Cache-Control: no-store\r\n"));
  CHECK(has(all, "X-Content-Type-Options: nosniff\r\n"));
  CHECK(has(all, "Transfer-Encoding: chunked\r\n"));
  CHECK(has(all, "X-Stream: yes\r\n"));
  CHECK_FALSE(has(all, "Content-Length"));
  CHECK(has(all, "\r\n\r\n34\r\nid: 1\nevent: hello\ndata: after 7\ndata: second line\n\n\r\n"));
  CHECK(has(all, "d\r\ndata: plain\n\n\r\n"));
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_streams{kind=\"events\"} 1"));
  client.reset();
  CHECK(next_end().code == 1006);
}

TEST_CASE("an event stream that its plugin closes ends with the last chunk") {
  const StreamServer server;
  const auto answer = server.http.get("/s/events?close=yes");
  CHECK(answer.error == "");
  CHECK(answer.status == 200);
  CHECK(has(answer.body, "data: plain\n\n"));
  CHECK(next_end().code == 1000);
}

TEST_CASE("an HTTP/1.0 client gets events until the connection closes") {
  const StreamServer server;
  Client client(server.port);
  client.send(event_request("/s/events?close=yes", {}, "HTTP/1.0"));
  while (client.read_some()) {
  }
  CHECK_FALSE(has(client.rest(), "Transfer-Encoding"));
  CHECK(has(client.rest(), "\r\n\r\nid: 1\nevent: hello\n"));
  CHECK(client.rest().ends_with("data: plain\n\n"));
  CHECK(next_end().code == 1000);
}

TEST_CASE("an event route may answer by JSON, and HEAD gets the head only") {
  const StreamServer server;
  CHECK(server.http.get("/s/events", {"Accept: application/json"}).body == R"({"events":[]})");
  const auto head = server.http.ask("HEAD", "/s/events");
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-type") == "text/event-stream");
  CHECK(head.body == "");
  CHECK(next_end().code == 1000);
}

TEST_CASE("an event stream whose client does not read is cut off without a last chunk") {
  const StreamServer server;
  Client client(server.port);
  client.set_receive_buffer(4096);
  client.send(event_request("/s/events?flood=yes"));
  CHECK(next_end().code == 1013);
  while (client.read_some()) {
  }
  CHECK_FALSE(client.rest().ends_with("0\r\n\r\n"));
  CHECK(server.http.get("/s/events/last").status == 200);
}

TEST_CASE("an event stream ends when the server drains") {
  StreamServer server;
  Client client(server.port);
  client.send(event_request("/s/events"));
  read_to(client, "data: plain");
  CHECK(server.core.core().stop());
  while (client.read_some()) {
  }
  CHECK(client.rest().ends_with("0\r\n\r\n"));
}
