#include "config_view.h"

#include "json/parse.h"
#include "json/schema.h"
#include "json/writer.h"

namespace patchbay::fake {
namespace {

using core::json::Document;
using core::json::Node;
using core::json::Writer;

constexpr std::string_view kNoSettings = R"({"type":"object","properties":{},"additionalProperties":false})";
constexpr std::string_view kOneTenant = R"({"localhost":{"primary":true}})";

// Checks `value` by the manifest's schema `which`; without such a schema the plugin takes no configuration.
Result<std::string> checked(const core::Manifest& manifest, std::string_view which, std::string path,
                            const Node* value, const std::filesystem::path& folder) {
  const Node* declared = manifest.config != nullptr ? manifest.config->find(which) : nullptr;
  PB_TRY_VALUE(const core::json::Schema schema, declared != nullptr
                                                    ? core::json::Schema::compile(*declared)
                                                    : core::json::Schema::compile(kNoSettings));
  PB_TRY_VALUE(const Document empty, core::json::parse("{}"));
  core::json::CheckOptions options;
  options.mode = core::json::Mode::config;
  options.path = std::move(path);
  options.file_path = [&folder](std::string_view file) { return (folder / file).string(); };
  const core::json::Checked result = schema.check(value != nullptr ? *value : empty.root(), options);
  if (!result.ok()) return result.error();
  return core::json::write(result.value.root());
}

void write_server(Writer& out, const std::filesystem::path& folder) {
  out.key("server").begin_object().member("data", folder.string()).member("plugin_dir", folder.string());
  out.member("admin_socket", (folder / "admin.sock").string());
  out.key("management").begin_object().member("listen", "127.0.0.1:0").end_object();
  out.key("log").begin_object().member("format", "text").member("level", "debug").end_object();
  out.member("threads", 2).end_object();
}

Status write_tenants(Writer& out, const core::Manifest& manifest, const Node& tenants,
                     const std::filesystem::path& folder) {
  out.key("tenants").begin_object();
  for (uint32_t i = 0; i < tenants.size() && tenants.member(i) != nullptr; ++i) {
    const std::string host(tenants.member(i)->key);
    const Node& tenant = tenants.member(i)->value;
    const Node* primary = tenant.find("primary");
    PB_TRY_VALUE(const std::string section,
                 checked(manifest, "tenant", "tenants." + host + ".section", tenant.find("section"), folder));
    PB_TRY_VALUE(const std::string webphone, checked(manifest, "WebPhone", "tenants." + host + ".WebPhone",
                                                     tenant.find("WebPhone"), folder));
    out.key(host).begin_object().member("primary", primary != nullptr && primary->boolean());
    out.member("name", std::string_view(host)).key("section").raw(section).key("WebPhone").raw(webphone);
    out.end_object();
  }
  out.end_object();
  return {};
}

Result<Document> read(std::string_view text, std::string_view otherwise, const char* what) {
  auto document = core::json::parse(text.empty() ? otherwise : text);
  if (!document) return std::move(document).error().within(what);
  if (!document->root().is(core::json::Type::object))
    return {Code::invalid, std::string(what) + " must be an object"};
  return document;
}

}  // namespace

Result<std::string> config_view(const core::Manifest& manifest, std::string_view plugin,
                                std::string_view tenants, const std::filesystem::path& folder) {
  PB_TRY_VALUE(const Document section, read(plugin, "{}", "plugin"));
  PB_TRY_VALUE(const Document hosts, read(tenants, kOneTenant, "tenants"));
  PB_TRY_VALUE(const std::string own, checked(manifest, "plugin", "plugin", &section.root(), folder));
  Writer out;
  out.begin_object();
  write_server(out, folder);
  out.key("plugin").raw(own);
  PB_TRY(write_tenants(out, manifest, hosts.root(), folder));
  out.end_object();
  return out.take();
}

}  // namespace patchbay::fake
