#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/services/http_stream.h>

#include <map>
#include <memory>
#include <string>

namespace {

using namespace patchbay;

class LiveCalls final : public Plugin {
  struct Client {
    std::unique_ptr<http::Stream> stream;
    std::string tenant;
  };

  Status start(const Config&) override {
    PB_TRY_VALUE(events_,
                 Subscription::open(host(), "call.*", [this](const Event& event) { pass_on(event); }));
    http::Route route;
    route.method = "GET";
    route.path = "/live-calls";
    route.kind = "events";
    route.role = "user";
    route.summary = "Streams what happens to calls, from now on";
    routes_.add(route, [this](const http::Request& request) { return open(request); });
    routes_.open();
    return {};
  }

  Result<http::Response> open(const http::Request& request) {
    auto made = std::make_unique<http::Stream>(host(), request);
    http::Stream* stream = made.get();
    stream->on_closed([this, stream](const http::Closed&) { clients_.erase(stream); });
    http::ServerEvent first;
    first.retry_ms = 5000;
    stream->send_event(first);
    clients_.emplace(stream, Client{std::move(made), request.tenant});
    return stream->accept();
  }

  void pass_on(const Event& event) const {
    const Buffer data = Buffer::copy(event.payload().empty() ? "{}" : event.payload());
    for (const auto& [stream, client] : clients_)
      if (client.tenant == event.tenant()) stream->send_event({"", std::string(event.topic()), data});
  }

  std::map<const http::Stream*, Client> clients_;
  Subscription events_;
  http::Routes routes_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(LiveCalls)
