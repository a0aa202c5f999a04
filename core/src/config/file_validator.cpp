#include "config/file_validator.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "config/limits.h"
#include "config/secret_source.h"
#include "json/parse.h"

namespace patchbay::core::config {
namespace {

std::string text_of(const json::Node* section, std::string_view key, std::string fallback = {}) {
  const json::Node* node = section ? section->find(key) : nullptr;
  return node ? std::string(node->string()) : std::move(fallback);
}

}  // namespace

std::string resolve_path(const std::string& file, std::string_view path) {
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(file, ignored).parent_path();
  return (folder / path).lexically_normal().string();
}

Problem SchemaValidator::make_problem(const Mark& mark, std::string path, std::string text,
                                      std::string hint) const {
  if (!mark.variable.empty())
    return {"environment variable " + mark.variable, 0, 0, std::move(path), std::move(text), std::move(hint)};
  return {sources_.file, mark.line, mark.column, std::move(path), std::move(text), std::move(hint)};
}

void SchemaValidator::problem(const Mark& mark, std::string path, std::string text, std::string hint) {
  problems_.push_back(make_problem(mark, std::move(path), std::move(text), std::move(hint)));
}

std::vector<Problem> SchemaValidator::problems() {
  const auto key = [](const Problem& p) { return std::tie(p.line, p.column); };
  std::stable_sort(problems_.begin(), problems_.end(),
                   [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
  if (problems_.size() > kMaxProblems) problems_.resize(kMaxProblems);
  return problems_;
}

Result<std::string> SchemaValidator::secret(const json::Node& node) {
  std::string warning;
  const SecretSource source(sources_.environment,
                            [this](std::string_view path) { return resolve_path(sources_.file, path); });
  const auto written = marks_.spelling(node.origin());
  auto secret = node.is(json::Type::string) || !written ? source.resolve(node, warning)
                                                        : Result<std::string>(std::string(*written));
  if (!warning.empty())
    warnings_.push_back(make_problem(marks_.mark(node.origin()), "", "a secret " + warning, "chmod o-r it"));
  if (secret && std::find(secrets_.begin(), secrets_.end(), *secret) == secrets_.end())
    secrets_.push_back(*secret);
  return secret;
}

json::Document SchemaValidator::run(const std::string& file_schema, Value root) {
  const auto schema_tree = json::parse(file_schema, {.bytes = SIZE_MAX, .depth = 64});
  auto schema = schema_tree ? json::Schema::compile(schema_tree.value().root())
                            : Result<json::Schema>(schema_tree.error());
  if (!schema) {
    problem({}, "", "cannot be checked: " + schema.error().text);
    return {};
  }
  apply_environment(sources_.environment, schema_tree.value().root(), root, problems_);
  const json::Document tree = to_json(root, marks_);

  json::CheckOptions options{.mode = json::Mode::config, .max_violations = kMaxProblems};
  options.spelling = [this](uint32_t origin) { return marks_.spelling(origin); };
  options.secret = [this](const json::Node& node) { return secret(node); };
  options.file_path = [this](std::string_view path) { return resolve_path(sources_.file, path); };
  json::Checked checked = schema.value().check(tree.root(), options);
  for (json::Violation& violation : checked.violations)
    problem(marks_.mark(violation.origin), violation.path, violation.text, violation.hint);
  for (json::Violation& advice : checked.advice) {
    if (failed()) break;
    warnings_.push_back(make_problem(marks_.mark(advice.origin), std::move(advice.path),
                                     std::move(advice.text), std::move(advice.hint)));
  }
  return std::move(checked.value);
}

Server to_server(const json::Node& root, const Sources& sources) {
  const json::Node* section = root.find("server");
  const json::Node* log = section ? section->find("log") : nullptr;
  const json::Node* threads = section ? section->find("threads") : nullptr;
  Server server;
  server.data = text_of(section, "data");
  server.store = text_of(section, "store");
  server.store_password = text_of(section, "store_password");
  server.plugin_dir = text_of(section, "plugin_dir", sources.default_plugin_dir);
  server.admin_socket = text_of(section, "admin_socket", server.data + "/admin.sock");
  server.management_listen = text_of(section ? section->find("management") : nullptr, "listen");
  server.log_json = text_of(log, "format") == "json";
  server.log_level = text_of(log, "level", "info");
  server.threads = threads ? static_cast<unsigned>(threads->integer()) : 0;
  if (const json::Node* drain = section ? section->find("drain_timeout_s") : nullptr)
    server.drain_timeout_s = drain->integer();
  return server;
}

}  // namespace patchbay::core::config
