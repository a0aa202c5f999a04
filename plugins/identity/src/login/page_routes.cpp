#include "login/page_routes.h"

#include <string>
#include <utility>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

http::Route page_route(const char* method, const char* path, const char* summary) {
  http::Route route;
  route.method = method;
  route.path = path;
  route.role = "none";
  route.area = "oidc";
  route.summary = summary;
  route.reply_schema = R"({"type":"string"})";
  return route;
}

void visit_page(const Context& context, const PageHandler& handler, const http::Request& request,
                const Result<Form>& form, Reply<http::Response> reply) {
  const Tenant* tenant = context.settings.tenant(request.tenant);
  if (tenant == nullptr) return reply(no_tenant_page());
  if (!form) return reply(page_response(400, notice_html("This request is broken", form.error().text + ".")));
  const auto visit = Visit::of(request, *tenant);
  if (!visit) return reply(visit.error());
  if (request.is_head) return reply(page_response(200, ""));
  handler(*visit, *form, std::move(reply));
}

}  // namespace

void add_page_routes(http::Routes& routes, const Context& context, const PageRoutes& page,
                     const PageHandler& handler) {
  http::Route get = page_route("GET", page.path, page.get_summary);
  get.query_schema = std::string(R"({"type":"object","properties":{)") + page.parameters + "}}";
  get.documents = std::string(page.documents) + "}";
  routes.add(std::move(get), [&context, handler](const http::Request& request, Reply<http::Response> reply) {
    visit_page(context, handler, request, Form::of(request.query), std::move(reply));
  });
  http::Route post = page_route("POST", page.path, page.post_summary);
  post.max_body_bytes = int64_t{kMaxFormBytes};
  post.documents =
      std::string(page.documents) +
      R"(, "requestType": "application/x-www-form-urlencoded", "requestSchema": {"type":"object","properties":{)" +
      page.parameters + page.form_parameters + "}}}";
  routes.add(std::move(post), [&context, handler](const http::Request& request, Reply<http::Response> reply) {
    visit_page(context, handler, request, Form::parse(request.body.view()), std::move(reply));
  });
}

http::Response no_tenant_page() {
  return page_response(400, notice_html("Nothing here", "No tenant has this host name."));
}

}  // namespace patchbay::identity
