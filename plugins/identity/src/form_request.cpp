#include "form_request.h"

#include <utility>

#include "identity_limits.h"

namespace patchbay::identity {

http::Route form_route(std::string_view path) {
  http::Route route;
  route.method = "POST";
  route.path = path;
  route.role = "none";
  route.max_body_bytes = int64_t{kMaxFormBytes};
  route.area = "oidc";
  return route;
}

FormRequest read_form_request(const Settings& settings, const http::Request& request) {
  FormRequest read;
  read.tenant = settings.tenant(request.tenant);
  if (read.tenant == nullptr) {
    read.fault = "no tenant is served under this host name";
    return read;
  }
  auto form = Form::parse(request.body.view());
  if (!form) {
    read.fault = form.error().text;
    return read;
  }
  read.form = *std::move(form);
  return read;
}

std::optional<http::Response> refuse_client(const Tenant& tenant, const std::string& client_id) {
  if (client_id.empty())
    return http::error(400, "invalid_request", "client_id is missing: name a configured client");
  if (tenant.client(client_id) == nullptr)
    return http::error(401, "invalid_client", "this client_id is not configured");
  return std::nullopt;
}

}  // namespace patchbay::identity
