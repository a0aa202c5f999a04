#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/services/http_stream.h>

#include <map>
#include <memory>
#include <string>

namespace {

using namespace patchbay;

// Everything runs on the main strand, so the members need no lock.
class Chat final : public Plugin {
  struct Member {
    std::unique_ptr<http::Stream> stream;
    std::string tenant, name;
  };

  Status start(const Config&) override {
    http::Route route;
    route.method = "GET";
    route.path = "/chat.ashx";
    route.kind = "websocket";
    route.role = "user";
    route.summary = "A chat with the other users of the tenant";
    route.subprotocols = "chat.v1";
    route.max_message_bytes = 4096;
    route.idle_ms = int64_t{3'600'000};
    routes_.add(route, [this](const http::Request& request) { return join(request); });
    routes_.open();
    return {};
  }

  Result<http::Response> join(const http::Request& request) {
    auto stream = std::make_unique<http::Stream>(host(), request);
    http::Stream* client = stream.get();
    client->on_message([this, client](const http::Message& message) { take(client, message); });
    client->on_closed([this, client](const http::Closed&) { leave(client); });
    members_.emplace(client, Member{std::move(stream), request.tenant, request.username});
    tell(members_.at(client), "joined", "");
    return client->accept();
  }

  void take(const http::Stream* client, const http::Message& message) {
    if (message.binary) return client->close(1003, "send text");
    tell(members_.at(client), "said", message.data.view());
  }

  void leave(const http::Stream* client) {
    const auto gone = members_.extract(client);
    tell(gone.mapped(), "left", "");
  }

  // To all members of the same tenant. They share one buffer.
  void tell(const Member& from, std::string_view what, std::string_view text) const {
    JsonWriter line;
    line.object().member("from", from.name).member("what", what);
    if (!text.empty()) line.member("text", text);
    const Buffer message = Buffer::copy(std::move(line.end()).str());
    for (const auto& [stream, member] : members_)
      if (member.tenant == from.tenant) stream->send(message);
  }

  std::map<const http::Stream*, Member> members_;
  http::Routes routes_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(Chat)
