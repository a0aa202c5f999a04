// A path of the login that a browser asks with GET or with a form: both routes, and what they check first.
// Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include <functional>

#include "context.h"
#include "form.h"
#include "login/visit.h"

namespace patchbay::identity {

struct PageRoutes {
  const char* path;
  const char* get_summary;
  const char* post_summary;
  const char* parameters;       // properties of a JSON Schema, of the query and of the form
  const char* form_parameters;  // further ones of the form: ",..."
  const char* documents;        // as Route::documents, without the closing brace
};

// Gets each request of a known tenant with a readable query or form, HEAD apart.
using PageHandler = std::function<void(const Visit&, const Form&, Reply<http::Response>)>;

void add_page_routes(http::Routes& routes, const Context& context, const PageRoutes& page,
                     const PageHandler& handler);

// The page of a tenant that is not, or no longer, configured.
http::Response no_tenant_page();

}  // namespace patchbay::identity
