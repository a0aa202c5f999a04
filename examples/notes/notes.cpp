#include <patchbay/plugin.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

namespace {

using namespace patchbay;
using Answer = Reply<http::Response>;

constexpr char kPath[] = "/api.ashx/v1/notes";
constexpr char kBody[] = R"({"type": "object", "required": ["text"], "properties": {
  "text": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "Text of the note"}}})";
constexpr char kNote[] = R"({"type": "object", "properties": {
  "id": {"type": "integer"}, "text": {"type": "string"}, "createdMs": {"type": "integer"}}})";

void write_note(JsonWriter& out, const Rows& rows, size_t i) {
  out.object().member("id", rows.integer(i, 0)).member("text", rows.text(i, 1));
  out.member("createdMs", rows.integer(i, 2)).end();
}

class Notes final : public Plugin {
  Status start(const Config&) override {
    http::Route add = route("POST", kPath, "Adds a note");
    add.request_schema = kBody;
    add.example =
        R"({"request": {"text": "Call back"}, "reply": {"id": 1, "text": "Call back", "createdMs": 0}})";
    routes_.add(
        add, [this](const http::Request& request, Answer answer) { this->add(request, std::move(answer)); });
    http::Route list = route("GET", kPath, "Lists the notes, newest first");
    list.list = true;
    routes_.add(list,
                [this](const http::Request& request, Answer answer) { count(request, std::move(answer)); });
    routes_.add(route("DELETE", std::string(kPath) + "/{id}", "Removes a note"),
                [this](const http::Request& request, Answer answer) { remove(request, std::move(answer)); });
    routes_.open();
    return {};
  }

  static http::Route route(const char* method, std::string path, const char* summary) {
    http::Route route;
    route.method = method;
    route.path = std::move(path);
    route.role = "user";
    route.area = "notes";
    route.summary = summary;
    route.reply_schema = kNote;
    return route;
  }

  // Commits the row and its event together.
  void add(const http::Request& request, Answer answer) {
    Transaction tx(host());
    tx.exec(add_, {request.tenant, request.json().text("text", ""), host().wall_ms()});
    tx.emit({"note.added", request.tenant, "notes", request.correlation, host().write_json(request.json())});
    std::move(tx).commit([answer = std::move(answer)](const Commit& commit) mutable {
      if (!commit) return answer(commit.error());
      JsonWriter note;
      write_note(note, commit.result(0), 0);
      answer(http::ok(std::move(note).str()));
    });
  }
  void count(const http::Request& request, Answer answer) {
    query(host(), count_, {request.tenant},
          [this, request, answer = std::move(answer)](const Result<Rows>& rows) mutable {
            if (!rows) return answer(rows.error());
            list(request, rows->integer(0, 0), std::move(answer));
          });
  }
  void list(const http::Request& request, int64_t total, Answer answer) {
    query(host(), list_, {request.tenant, request.limit, request.offset},
          [total, answer = std::move(answer)](const Result<Rows>& rows) mutable {
            if (!rows) return answer(rows.error());
            JsonWriter body;
            body.object().key("data").array();
            for (size_t i = 0; i < rows->size(); ++i) write_note(body, *rows, i);
            http::Response response = http::ok(std::move(body.end().end()).str());
            response.total = total;
            answer(std::move(response));
          });
  }
  void remove(const http::Request& request, Answer answer) {
    const int64_t id = request.params.integer("id");
    Transaction tx(host());
    tx.exec(remove_, {request.tenant, id}, 1);  // fails unless one row changes
    std::move(tx).commit([answer = std::move(answer)](const Commit& commit) mutable {
      if (commit.code() == Code::conflict)
        return answer(http::error(404, "not_found", "there is no such note"));
      if (!commit) return answer(commit.error());
      answer(http::ok(R"({"ok":true})"));
    });
  }

  const Statement add_ = Statement::find(host(), "add");
  const Statement count_ = Statement::find(host(), "count");
  const Statement list_ = Statement::find(host(), "list");
  const Statement remove_ = Statement::find(host(), "remove");
  http::Routes routes_{host()};
};

}  // namespace

PATCHBAY_PLUGIN(Notes)
