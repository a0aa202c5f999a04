#include "user_routes.h"

#include <patchbay/random_id.h>

#include <algorithm>

#include "api_key_store.h"
#include "crypto/random.h"
#include "identity_limits.h"
#include "sip_passwords.h"
#include "user_json.h"

namespace patchbay::identity {
namespace {

constexpr char kUsersPath[] = "/api.ashx/v1/admin/users";
constexpr char kCreateBody[] = R"({"type": "object", "required": ["username"], "properties": {
  "username": {"type": "string", "minLength": 1, "maxLength": 128, "example": "dora",
    "description": "A letter or digit, then letters, digits and . _ @ + -"},
  "password": {"type": "string", "minLength": 8, "maxLength": 1024,
    "description": "Generated, and in the reply, if omitted"},
  "displayName": {"type": "string", "maxLength": 128, "example": "Dora", "default": ""},
  "role": {"type": "string", "enum": ["admin", "user"], "default": "user"},
  "disabled": {"type": "boolean", "default": false}}})";
constexpr char kChangeBody[] = R"({"type": "object", "properties": {
  "displayName": {"type": "string", "maxLength": 128, "example": "Dora"},
  "role": {"type": "string", "enum": ["admin", "user"]},
  "disabled": {"type": "boolean"}}})";
constexpr char kPasswordBody[] = R"({"type": "object", "properties": {
  "password": {"type": "string", "minLength": 8, "maxLength": 1024,
    "description": "Generated, and in the reply, if omitted"}}})";
constexpr char kUserExample[] =
    R"({"request": {"username": "dora", "role": "admin"}, "reply": {"username": "dora",
  "displayName": "", "role": "admin", "disabled": false, "source": "api", "tenant": "voice.example.com",
  "hasSipPassword": true, "createdAtUtc": "2026-11-20T08:15:00.000Z", "createdBy": "alice",
  "password": "...", "sipPassword": "..."}})";
constexpr char kPassword[] =
    R"(,"password":{"type":"string","description":"Shown now only; absent if the request has one"})";
constexpr char kSipPasswordMember[] = R"(,"sipPassword":{"type":"string","description":"Shown now only"})";
constexpr char kReadOnly[] = R"("409": "read_only: the user is defined by configuration)";

http::Response no_such_user() { return http::error(404, "not_found", "there is no such user"); }
http::Response read_only_user() {
  return http::error(409, "read_only", "this user is defined by configuration: change it there");
}
http::Response invalid_user(const char* text) { return http::error(400, "invalid_request", text); }

std::string secret_member(const char* name, const std::string& value) {
  return std::string(",\"") + name + "\":\"" + value + "\"";
}

// The password of the request, or a generated one, which is then added to the secrets of the reply.
Result<std::string> password_of(const http::Request& request, std::string& secrets) {
  const std::string given(request.json().text("password", ""));
  if (!given.empty()) return given;
  PB_TRY_VALUE(const std::string made, lib::random_base62(kGeneratedPasswordBytes));
  secrets += secret_member("password", made);
  return made;
}

bool is_display_name(std::string_view name) { return name.empty() || is_key_name(name); }

}  // namespace

UserRoutes::UserRoutes(Context& context, PasswordQueue& passwords)
    : context_(context),
      passwords_(passwords),
      store_(context),
      sweep_timer_(context.host),
      trail_(context.host) {
  sweep_later();
}

void UserRoutes::sweep_later() {
  sweep_timer_.after_ms(kRefreshSweepMs, [this] {
    store_.expire();
    sweep_later();
  });
}

http::Route UserRoutes::route(const char* method, const std::string& tail, const char* summary) const {
  http::Route made;
  made.method = method;
  made.path = kUsersPath + tail;
  made.area = "users";
  made.summary = summary;
  made.oidc_only = true;
  made.reply_schema = user_schema();
  return made;
}

void UserRoutes::add(http::Routes& routes, http::Route route, Handle handle) {
  routes.add(std::move(route), [this, handle](const http::Request& request, Reply reply) {
    (this->*handle)(request, std::move(reply));
  });
}

void UserRoutes::add_to(http::Routes& routes) {
  http::Route made = route("POST", "", "Creates a user; the passwords are shown in this response only");
  made.request_schema = kCreateBody;
  made.reply_schema = user_schema(std::string(kPassword) + kSipPasswordMember);
  made.example = kUserExample;
  made.documents =
      R"({"statuses": {"201": "Created", "409": "conflict: the tenant has a user of this name already"}})";
  add(routes, std::move(made), &UserRoutes::create);
  made = route("GET", "", "Lists the users: the configured ones first, each by name");
  made.list = true;
  add(routes, std::move(made), &UserRoutes::list);
  add(routes, route("GET", "/{username}", "One user"), &UserRoutes::get);
  made = route("PATCH", "/{username}",
               "Changes a user; another role, and disabling, end the user's tokens at once");
  made.request_schema = kChangeBody;
  made.documents = std::string(R"({"statuses": {)") + kReadOnly + R"(; conflict: the last enabled admin"}})";
  add(routes, std::move(made), &UserRoutes::change);
  made = route("POST", "/{username}/password", "Changes the password, and ends the user's tokens at once");
  made.request_schema = kPasswordBody;
  made.reply_schema = user_schema(kPassword);
  made.documents = std::string(R"({"statuses": {)") + kReadOnly + R"("}})";
  add(routes, std::move(made), &UserRoutes::set_password);
  made = route("POST", "/{username}/sip-password", "Generates another SIP password; it is shown now only");
  made.reply_schema = user_schema(kSipPasswordMember);
  add(routes, std::move(made), &UserRoutes::set_sip_password);
  add(routes, route("POST", "/{username}/end-sessions", "Ends all tokens of a user, at once"),
      &UserRoutes::end_sessions);
  made = route("DELETE", "/{username}", "Removes a user, and ends the user's tokens at once");
  made.reply_schema =
      R"({"type":"object","required":["deleted"],"properties":{"deleted":)" + user_schema() + "}}";
  made.documents = std::string(R"({"statuses": {)") + kReadOnly + R"(; conflict: the last enabled admin"}})";
  add(routes, std::move(made), &UserRoutes::remove);
}

// Requests at the admin socket have no tenant; without ?tenant= they concern the primary one.
std::string UserRoutes::tenant_of(const http::Request& request) const {
  if (!request.tenant.empty()) return request.tenant;
  const Tenant* primary = context_.settings.primary();
  return primary != nullptr ? primary->host : std::string();
}

const User* UserRoutes::find(const http::Request& request) const {
  return context_.users.find(tenant_of(request), request.params.text("username"));
}

UserRoutes::Edit UserRoutes::edit_of(const http::Request& request, const char* action,
                                     const User& user) const {
  Edit edit{request, action, user, user_json(user, context_.users.account(user)), {}, 200, {}};
  edit.after = edit.before;
  return edit;
}

// The operator can always create another admin at the admin socket.
bool UserRoutes::may_be_last(const http::Request& request, const std::string& tenant) const {
  return request.listener == "local" || context_.users.has_configured_admin(tenant);
}

void UserRoutes::create(const http::Request& request, Reply reply) {
  Edit edit{request, "user.created", {}, {}, {}, 201, {}};
  User& user = edit.user;
  user.tenant = tenant_of(request);
  user.name = request.json().text("username", "");
  user.display_name = request.json().text("displayName", "");
  user.role = request.json().text("role", "user");
  user.disabled = request.json().boolean("disabled", false);
  user.stored = true;
  user.created_ms = context_.host.wall_ms();
  user.created_by = request.username;
  if (context_.settings.tenant(user.tenant) == nullptr)
    return reply(invalid_user("tenant is not configured"));
  if (!is_user_name(user.name))
    return reply(
        invalid_user("username must begin with a letter or digit, and have letters, digits and "
                     ". _ @ + - only, such as \"dora\""));
  if (!is_display_name(user.display_name))
    return reply(
        invalid_user("displayName must be printable and begin and end with no blank, such as "
                     "\"Dora Maar\""));
  if (context_.users.find(user.tenant, user.name) != nullptr) return reply(refused(edit, true));
  const auto subject = random_id({}, 32);
  const auto sip = make_sip_password(context_.host, user.tenant, user.name);
  const auto password = password_of(request, edit.secrets);
  if (!subject || !sip || !password)
    return reply(Error{Code::unavailable, "no random numbers, or sealing has failed"});
  user.subject = *subject;
  edit.secrets += secret_member("sipPassword", sip->plain);
  edit.after = user_json(user, {1, sip->sealed});
  hash(request, *password, std::move(reply),
       [this, edit = std::move(edit), sealed = sip->sealed](const std::string& encoded, Reply then) mutable {
         Transaction tx = store_.add(edit.user, encoded, sealed);
         commit(std::move(tx), std::move(edit), std::move(then));
       });
}

void UserRoutes::hash(const http::Request& request, const std::string& password, Reply reply,
                      Function<void(const std::string& hash, Reply)> then) {
  PasswordQueue::Request work;
  work.address = request.remote;
  work.credential = std::make_shared<Credential>("", password);
  work.still_wanted = [] { return true; };
  work.only_hash = true;
  auto credential = work.credential;
  auto shared = std::make_shared<Reply>(std::move(reply));  // because the queue may refuse the work
  const Status waits = passwords_.check(
      std::move(work),
      alive_.bind([shared, credential, then = std::move(then)](const Result<bool>& done) mutable {
        if (!done) return (*shared)(done.error());
        const std::string encoded = credential->encoded();
        if (encoded.empty()) return (*shared)(Error{Code::exhausted, "the password could not be hashed"});
        then(encoded, std::move(*shared));
      }));
  if (!waits) (*shared)(waits.error());
}

void UserRoutes::list(const http::Request& request, Reply reply) {
  const auto users = context_.users.all(tenant_of(request));
  const auto total = static_cast<int64_t>(users.size());
  const int64_t offset = std::max<int64_t>(request.offset, 0);
  JsonWriter body;
  body.object().key("data").array();
  for (int64_t i = offset; i < total && i - offset < request.limit; ++i) {
    const User& user = *users[static_cast<size_t>(i)];
    write_members(body.object(), user, context_.users.account(user)).end();
  }
  body.end().end();
  http::Response response = http::ok(std::move(body).str());
  response.total = total;
  reply(std::move(response));
}

void UserRoutes::get(const http::Request& request, Reply reply) {
  const User* user = find(request);
  if (user == nullptr) return reply(no_such_user());
  reply(http::ok(user_json(*user, context_.users.account(*user))));
}

void UserRoutes::change(const http::Request& request, Reply reply) {
  const User* user = find(request);
  if (user == nullptr) return reply(no_such_user());
  if (!user->stored) return reply(read_only_user());
  const JsonView body = request.json();
  UserChange change;
  if (body["displayName"].is_string()) change.display_name = body["displayName"].text();
  if (body["role"].is_string()) change.role = body["role"].text();
  if (body["disabled"].type() == PB_JSON_BOOL) change.disabled = body["disabled"].boolean();
  if (change.display_name && !is_display_name(*change.display_name))
    return reply(
        invalid_user("displayName must be printable and begin and end with no blank, such as "
                     "\"Dora Maar\""));
  Edit edit = edit_of(request, "user.changed", *user);
  User after = *user;
  after.display_name = change.display_name.value_or(after.display_name);
  after.role = change.role.value_or(after.role);
  after.disabled = change.disabled.value_or(after.disabled);
  edit.after = user_json(after, context_.users.account(*user));
  Transaction tx = store_.change(*user, change, may_be_last(request, user->tenant));
  commit(std::move(tx), std::move(edit), std::move(reply));
}

void UserRoutes::set_password(const http::Request& request, Reply reply) {
  const User* user = find(request);
  if (user == nullptr) return reply(no_such_user());
  if (!user->stored) return reply(read_only_user());
  Edit edit = edit_of(request, "user.password-changed", *user);
  const auto password = password_of(request, edit.secrets);
  if (!password) return reply(password.error());
  hash(request, *password, std::move(reply),
       [this, edit = std::move(edit)](const std::string& encoded, Reply then) mutable {
         Transaction tx = store_.set_password(edit.user, encoded);
         commit(std::move(tx), std::move(edit), std::move(then));
       });
}

void UserRoutes::set_sip_password(const http::Request& request, Reply reply) {
  const User* user = find(request);
  if (user == nullptr) return reply(no_such_user());
  const auto sip = make_sip_password(context_.host, user->tenant, user->name);
  if (!sip) return reply(sip.error());
  Edit edit = edit_of(request, "user.sip-password-changed", *user);
  edit.secrets = secret_member("sipPassword", sip->plain);
  commit(store_.set_sip_password(*user, sip->sealed), std::move(edit), std::move(reply));
}

void UserRoutes::end_sessions(const http::Request& request, Reply reply) {
  const User* user = find(request);
  if (user == nullptr) return reply(no_such_user());
  commit(store_.end_sessions(*user), edit_of(request, "user.sessions-ended", *user), std::move(reply));
}

void UserRoutes::remove(const http::Request& request, Reply reply) {
  const User* user = find(request);
  if (user == nullptr) return reply(no_such_user());
  if (!user->stored) return reply(read_only_user());
  Edit edit = edit_of(request, "user.deleted", *user);
  edit.after.clear();
  commit(store_.remove(*user, may_be_last(request, user->tenant)), std::move(edit), std::move(reply));
}

void UserRoutes::commit(Transaction tx, Edit edit, Reply reply) {
  audit::Record record = audit::record_of(edit.request, edit.action, edit.user.name, edit.before, edit.after);
  record.tenant = edit.user.tenant;
  trail_.commit(
      std::move(tx), std::move(record),
      alive_.bind([this, edit = std::move(edit), reply = std::move(reply)](const Commit& done) mutable {
        const bool conflict = done.code() == Code::conflict;
        if (!done && !conflict) return reply(done.error());
        context_.users.refresh(alive_.bind(
            [this, conflict, edit = std::move(edit), reply = std::move(reply)](const Status& fresh) mutable {
              if (!fresh) return reply(fresh.error());
              const bool is_there = context_.users.find(edit.user.tenant, edit.user.name) != nullptr;
              reply(conflict ? refused(edit, is_there) : committed(edit));
            }));
      }));
}

http::Response UserRoutes::committed(const Edit& edit) const {
  context_.log.with(edit.request.correlation)
      .info("a user was changed", {{"action", edit.action},
                                   {"user", edit.user.name},
                                   {"tenant", edit.user.tenant},
                                   {"actor", edit.request.username}});
  if (edit.after.empty()) return http::ok(R"({"deleted":)" + edit.before + "}");
  const User* user = context_.users.find(edit.user.tenant, edit.user.name);
  std::string body = user != nullptr ? user_json(*user, context_.users.account(*user)) : edit.after;
  body.insert(body.size() - 1, edit.secrets);
  http::Response response = http::ok(std::move(body));
  response.status = edit.status;
  return response;
}

// A change that has met another state than it expected.
http::Response UserRoutes::refused(const Edit& edit, bool is_there) {
  if (edit.before.empty())
    return http::error(409, "conflict",
                       "there is a user of this name: change it, or name this one differently");
  if (!is_there) return no_such_user();
  return http::error(409, "conflict",
                     "this is the tenant's last enabled admin: make another user admin first");
}

}  // namespace patchbay::identity
