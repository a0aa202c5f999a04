// Routes: registers a plugin's routes whenever patchbay.http is available. Checks each body by the route's
// request_schema before the handler runs and answers 400 to a body that does not fit. Create, use and destroy
// it on the main strand.
//
//   routes_.add(route, [this](http::Request request, Reply<http::Response> reply) { ... });
//   routes_.open();
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "../lifetime.h"
#include "../log.h"
#include "../strand.h"
#include "http.h"

namespace patchbay::http {

class Routes {
 public:
  explicit Routes(const Host& host) : host_(&host) {}

  // handler(Request, Reply<Response>) may answer later; handler(Request) -> Result<Response> answers by
  // returning.
  template <class F>
  void add(Route route, F handler) {
    auto entry = std::make_unique<Entry>(*host_);
    entry->route = std::move(route);
    if constexpr (std::is_invocable_v<F, Request, Reply<Response>>) {
      entry->handle = std::move(handler);
    } else {
      entry->handle = [f = std::move(handler)](Request request, Reply<Response> reply) mutable {
        reply(f(std::move(request)));
      };
    }
    if (auto schema = compile(entry->route)) entry->schema = *std::move(schema);
    entry->handler.on(Handler::handle, [this, to = entry.get()](Request request, Reply<Response> reply) {
      take(*to, std::move(request), std::move(reply));
    });
    entry->route.handler = entry->handler.handle();
    if (service_ != nullptr && service_->up()) announce(*entry);
    entries_.push_back(std::move(entry));
  }

  // Registers the routes, and those added later.
  void open() {
    service_ = std::make_unique<Service<Http>>(*host_);
    service_->on_change([this](bool up) {
      if (!up) return;
      for (const auto& entry : entries_) announce(*entry);
    });
  }

 private:
  using SchemaPtr = std::shared_ptr<const Schema>;  // shared with the workers that parse large bodies
  struct Entry {
    explicit Entry(const Host& host) : handler(host) {}
    Route route;
    SchemaPtr schema;
    Function<void(Request, Reply<Response>)> handle;
    Provision<Handler> handler;
  };
  // Larger bodies are parsed by a worker, because the strand's other tasks would wait for them.
  static constexpr size_t kMaxParsedHere = 64 * 1024;

  // Null when the route has none. An invalid one is an error that add() ignores, because the server refuses
  // the route and logs why.
  Result<SchemaPtr> compile(const Route& route) const {
    if (route.request_schema.empty()) return SchemaPtr();
    PB_TRY_VALUE(Schema schema, Schema::compile(*host_, route.request_schema));
    return SchemaPtr(std::make_shared<Schema>(std::move(schema)));
  }

  void take(const Entry& entry, Request request, Reply<Response> reply) {
    if (entry.schema == nullptr) return entry.handle(std::move(request), std::move(reply));
    if (request.body.size() <= kMaxParsedHere) {
      const Status fits = parse(*entry.schema, request);
      return parsed(entry, fits, std::move(request), std::move(reply));
    }
    // Shared with the task, because post_worker() destroys a task that it refuses, and the reply is needed.
    struct Work {
      Request request;
      Reply<Response> reply;
      Status fits;
    };
    auto work = std::make_shared<Work>(Work{std::move(request), std::move(reply), {}});
    auto then = alive_.bind(
        [&entry, work] { parsed(entry, work->fits, std::move(work->request), std::move(work->reply)); });
    const Status queued =
        post_worker(*host_, [&host = *host_, schema = entry.schema, work, then = std::move(then)]() mutable {
          work->fits = parse(*schema, work->request);
          post(host, kMainStrand, std::move(then));
        });
    if (!queued) work->reply.fail({Code::exhausted, "too much work is waiting"});
  }
  // [any] Reads a missing body as an empty object, so that the error names the missing member.
  static Status parse(const Schema& schema, Request& request) {
    const std::string_view body = request.body.view();
    PB_TRY_VALUE(Json json, schema.read(body.empty() ? std::string_view("{}") : body));
    request.document = std::make_shared<const Json>(std::move(json));
    return {};
  }
  static void parsed(const Entry& entry, const Status& fits, Request request, Reply<Response> reply) {
    if (fits) return entry.handle(std::move(request), std::move(reply));
    const std::string& why = fits.error().text;
    reply(entry.route.message_errors ? message_error(400, why) : error(400, "invalid_request", why));
  }

  void announce(const Entry& entry) const {
    const Route& route = entry.route;
    service_->call(
        Http::add_route, route,
        [log = Log(*host_), title = route.method + " " + route.path](const Result<Registered>& done) {
          if (!done) log.error("a route was refused", {{"route", title}, {"why", done.error().text}});
        });
  }

  const Host* host_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::unique_ptr<Service<Http>> service_;
  Lifetime alive_;
};

}  // namespace patchbay::http
