#include "verbs/list_request.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

#include "exit_code.h"
#include "json/parse.h"
#include "json/writer.h"

namespace patchbay::app {
namespace {

using core::json::Document;
using core::json::Node;
using core::json::Type;

constexpr uint64_t kMaxPage = 500;  // the rows of a page that the server gives at most

uint32_t rows_in(const Node& page) {
  const Node* data = page.find("data");
  return data != nullptr && data->is(Type::array) ? data->size() : 0;
}

std::string_view next_of(const Node& page) {
  const Node* next = page.find("next");
  return next != nullptr ? next->string() : std::string_view();
}

// The query of `next`, a relative URL; limit and tenant are set by each request.
AdminClient::Query query_of(std::string_view next) {
  AdminClient::Query query;
  const size_t mark = std::min(next.find('?'), next.size());
  for (const std::string_view one : split(next.substr(std::min(mark + 1, next.size())), '&')) {
    const size_t equals = std::min(one.find('='), one.size());
    const auto name = percent_decode(one.substr(0, equals), true);
    const auto value = percent_decode(one.substr(std::min(equals + 1, one.size())), true);
    if (!name || !value || equals_ignoring_case(*name, "limit") || equals_ignoring_case(*name, "tenant"))
      continue;
    query.emplace_back(*name, *value);
  }
  return query;
}

struct Pages {
  std::vector<Document> pages;
  std::string last;  // as received
  uint64_t rows = 0;
};

// Reports an error or refusal, and returns the exit code.
int get_pages(const ServerOptions& options, const std::string& path, AdminClient::Query query, int limit,
              Pages& list) {
  auto client = AdminClient::connect(options);
  if (!client) return report(client.error());
  do {
    const uint64_t left = limit == kAllRows ? kMaxPage : static_cast<uint64_t>(limit) - list.rows;
    query.emplace_back("limit", std::to_string(std::min(left, kMaxPage)));
    auto answer = client->request("GET", path, query);
    if (!answer) return report(answer.error());
    if (!answer->ok() && options.json) std::printf("%s\n", answer->body.c_str());
    if (!answer->ok()) return report_refusal(*answer);
    auto page = core::json::parse(answer->body, {AdminClient::kMaxAnswerBytes, 32});
    if (!page) return report({Code::unavailable, "the answer is not JSON: " + page.error().text});
    const uint32_t added = rows_in(page->root());
    list.rows += added;
    const bool is_enough = added == 0 || (limit != kAllRows && list.rows >= static_cast<uint64_t>(limit));
    query = is_enough ? AdminClient::Query() : query_of(next_of(page->root()));
    list.pages.push_back(*std::move(page));
    list.last = std::move(answer->body);
  } while (!query.empty());
  return kDone;
}

// The first page with the rows of all: `total` and `next` are those of the last page.
std::string joined(const std::vector<Document>& pages, uint64_t rows) {
  core::json::Writer out;
  out.begin_object();
  const Node& first = pages.front().root();
  const Node& last = pages.back().root();
  for (uint32_t i = 0; i < first.size(); ++i) {
    const core::json::Member& member = *first.member(i);
    out.key(member.key);
    if (member.key == "data") {
      out.begin_array();
      for (const Document& page : pages)
        for (uint32_t row = 0; row < rows_in(page.root()); ++row)
          out.value(*page.root().find("data")->element(row));
      out.end_array();
    } else if (member.key == "limit") {
      out.value(rows);
    } else {
      const Node* newest = member.key == "total" || member.key == "next" ? last.find(member.key) : nullptr;
      out.value(newest != nullptr ? *newest : member.value);
    }
  }
  out.end_object();
  return out.take();
}

void note_more(uint64_t shown, const Node& list) {
  if (next_of(list).empty() || ::isatty(STDERR_FILENO) == 0) return;
  const Node* total = list.find("total");
  std::fflush(stdout);
  std::fprintf(stderr, "patchbay: %llu of %lld are shown; a greater --limit shows more\n",
               static_cast<unsigned long long>(shown),
               static_cast<long long>(total != nullptr ? total->integer() : 0));
}

}  // namespace

void add_limit_option(Verb verb, int& limit) {
  verb.add_option("--limit", limit,
                  limit == kAllRows ? "Maximum number of rows; by default all"
                                    : "Maximum number of rows, 50 by default")
      .range(1, std::numeric_limits<int>::max())
      .type_name("N");
}

int exchange_list(const ServerOptions& options, const std::string& path, const AdminClient::Query& query,
                  int limit, void (*show)(const Node&)) {
  Pages list;
  if (const int code = get_pages(options, path, query, limit, list); code != kDone) return code;
  const Document* shown = &list.pages.front();
  Document all;
  if (list.pages.size() > 1) {
    list.last = joined(list.pages, list.rows);
    auto document = core::json::parse(list.last, {list.last.size(), 32, list.last.size()});
    if (!document) return report(document.error());
    all = *std::move(document);
    shown = &all;
  }
  if (options.json)
    std::printf("%s\n", list.last.c_str());
  else
    show(shown->root());
  note_more(list.rows, shown->root());
  return kDone;
}

}  // namespace patchbay::app
