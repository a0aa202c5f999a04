// The files of a folder, served by a plugin (services/http_file_tree.h).
#include <patchbay/plugin.h>
#include <patchbay/services/http_file_tree.h>

#include <filesystem>
#include <fstream>

#include "api_server.h"
#include "plugins/rest-api/client.h"
#include "plugins/rest-api/ws_client.h"
#include "support/linked_plugin.h"

using namespace rest_api_test;
using namespace patchbay;

namespace {

std::string tree_folder;  // set before the server starts

class PagePlugin final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "pages", "version": "0.1.0", "summary": "Pages", "license": "Apache-2.0",
          "optional": ["patchbay.http/1"], "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    PB_TRY_VALUE(auto files, http::read_file_tree(tree_folder));
    http::FileTree tree;
    tree.path = "/office";
    tree.headers.add("Content-Security-Policy", "default-src 'self'");
    http::add_file_tree(routes_, tree, std::move(files));
    routes_.open();
    return {};
  }
  Status check_config(const Config&) override { return {}; }

 private:
  http::Routes routes_{host()};
};

void write_page(const std::filesystem::path& file, const std::string& content) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << content;
}

struct PageServer {
  test::TemporaryFolder folder;
  std::filesystem::path pages = folder.path() / "pages";
  std::unique_ptr<test::TestServer> core;
  HttpClient http{""};

  PageServer() {
    write_page(folder.path() / "secret.txt", "secret");
    write_page(pages / "index.html", "<p>Office</p>");
    write_page(pages / "js/app.js", "let x = 1;\n");
    write_page(pages / "help/index.html", "<p>Help</p>");
    write_page(pages / "empty.txt", "");
    write_page(pages / "blob", std::string(1'000'000, 'b'));
    write_page(pages / ".hidden", "secret");
    write_page(pages / ".git/config", "secret");
    std::filesystem::create_symlink(folder.path() / "secret.txt", pages / "link.txt");
    std::filesystem::create_directory_symlink(folder.path(), pages / "up");
    tree_folder = pages.string();
    core = std::make_unique<test::TestServer>(
        "plugins: {rest-api: {listen: \"127.0.0.1:0\", threads: 1}, pages: {}}\n"
        "tenants: {a.example: {primary: true}}\n",
        nullptr, std::vector<const pb_entry*>{&test::LinkedPlugin<PagePlugin>::entry});
    REQUIRE(core->start_error() == "");
    http = HttpClient::of(*core);
    REQUIRE(http.wait_for("GET", "/office/js/app.js"));
    REQUIRE(http.wait_for("GET", "/office/help/index.html"));
  }
};

}  // namespace

TEST_CASE("the files of a folder are served with their types, tags and the plugin's headers") {
  const PageServer server;
  const auto page = server.http.get("/office/");
  CHECK(page.status == 200);
  CHECK(page.body == "<p>Office</p>");
  CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
  CHECK(page.headers.at("content-security-policy") == "default-src 'self'");
  CHECK(page.headers.at("cache-control") == "no-store");
  CHECK(page.headers.at("x-content-type-options") == "nosniff");
  CHECK(server.http.get("/office/index.html").body == "<p>Office</p>");
  CHECK(server.http.get("/office/help/").body == "<p>Help</p>");
  const auto script = server.http.get("/office/js/app.js");
  CHECK(script.body == "let x = 1;\n");
  CHECK(script.headers.at("content-type") == "text/javascript; charset=utf-8");
  CHECK(server.http.get("/office/blob").body.size() == 1'000'000);
  CHECK(server.http.get("/office/blob").headers.at("content-type") == "application/octet-stream");
  CHECK(server.http.get("/office/empty.txt").status == 200);
  const auto head = server.http.ask("HEAD", "/office/blob");
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-length") == "1000000");

  const std::string tag = script.headers.at("etag");
  const auto same = server.http.get("/office/js/app.js", {"If-None-Match: \"x\", W/" + tag});
  CHECK(same.status == 304);
  CHECK(same.body == "");
  CHECK(same.headers.at("etag") == tag);
  CHECK(server.http.get("/office/js/app.js", {"If-None-Match: \"x\""}).status == 200);
  CHECK(page.headers.at("etag") != tag);
}

TEST_CASE("a folder is redirected to its path with a slash, so that relative links work") {
  const PageServer server;
  const auto moved = server.http.get("/office");
  CHECK(moved.status == 308);
  CHECK(moved.headers.at("location") == "/office/");
  CHECK(server.http.get("/office/help").headers.at("location") == "/office/help/");
  CHECK(server.http.get("/office/js/").status == 404);  // folders are not listed
}

TEST_CASE("nothing outside of the folder is served, nor hidden files and links") {
  const PageServer server;
  for (const char* target :
       {"/office/.hidden", "/office/.git/config", "/office/link.txt", "/office/up/secret.txt",
        "/office/../secret.txt", "/office/%2e%2e/secret.txt", "/office/..%2fsecret.txt",
        "/office/js/../../secret.txt", "/office//etc/passwd", "/office/%2fetc%2fpasswd",
        "/office/js/app.js%00.html", "/office/js/app.js/x", "/office/JS/app.js"}) {
    CAPTURE(target);
    Client client(port_of(server.http));
    client.send(std::string("GET ") + target + " HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK((answer->status == 404 || answer->status == 400));
    CHECK(answer->body.find("secret") == std::string::npos);
  }
  CHECK(server.http.post("/office/js/app.js", "x").status == 405);
}

TEST_CASE("a folder that cannot be served as a whole is refused with the reason") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  CHECK(http::read_file_tree(path)->empty());
  write_page(folder.path() / "a.txt", "12345");
  write_page(folder.path() / "b.txt", "12345");
  CHECK(http::read_file_tree(path)->size() == 2);
  CHECK(http::read_file_tree(path, 1).error().code == Code::exhausted);
  CHECK(http::read_file_tree(path, 2, 9).error().code == Code::exhausted);
  CHECK(http::read_file_tree(path, 2, 10).ok());
  CHECK(http::read_file_tree(path + "/a.txt").error().code == Code::not_found);
  CHECK(http::read_file_tree(path + "/none").error().code == Code::not_found);
  for (const char* name : {"two words.txt", "{id}", "a:b"}) {
    write_page(folder.path() / name, "x");
    CHECK(http::read_file_tree(path).error().code == Code::invalid);
    std::filesystem::remove(folder.path() / name);
  }
}
