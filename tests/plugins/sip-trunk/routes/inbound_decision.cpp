#include "routes/inbound_decision.h"

#include <doctest/doctest.h>

#include "routes/row_order.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

RouteRow route(const std::string& did, const std::string& from, const std::string& user) {
  auto row = RouteRow::inbound(did, from, user);
  if (!row) FAIL(row.error().text);
  return *std::move(row);
}

numbers::Summary number_of(const std::string& mode, const std::string& user = "") {
  return {"reception", "+4930999", mode, user, "public"};
}

// "alice", "number", or the SIP status.
std::string outcome(const RouteRows& rows, const std::string& called, const std::string& calling,
                    const std::optional<numbers::Summary>& number = std::nullopt) {
  const InboundDecision decision = decide_inbound(rows, InboundCall::read(called, calling), number);
  CHECK_FALSE(decision.why.empty());
  switch (decision.action) {
    case InboundDecision::Action::ring_user:
      return decision.user;
    case InboundDecision::Action::answer_by_number:
      return "number";
    case InboundDecision::Action::refuse:
      return std::to_string(decision.sip_status);
  }
  return "";
}

RouteRows with_catchall(const RouteRows& rows, const std::string& user = "desk") {
  return all_rows(Domain::inbound, {}, rows, user);
}

}  // namespace

TEST_CASE("the first inbound route that matches did and caller rings its user") {
  const RouteRows rows = with_catchall({
      route("+4930123", "+43*", "austria"),
      route("+4930123", "+4315551234", "vip"),
      route("+4930123", "anonymous", "screening"),
      route("+4930123", "", "office"),
      route("200", "", "extension"),
      route("+4930124", "+44*", "london"),
  });
  struct Case {
    const char* called;
    const char* calling;
    const char* user;
  };
  for (const Case& each : {
           Case{"+4930123", "+4315551234", "austria"},  // the earlier row, not the narrower one
           Case{"004930123", "004319", "austria"},
           Case{"+4930123", "+49301", "office"},
           Case{"+4930123", "anonymous", "screening"},
           Case{"+4930123", "", "screening"},
           Case{"+4930123", "unknown-name", "screening"},
           Case{"200", "+4319", "extension"},
           Case{"200", "", "extension"},
           Case{"+4930124", "+44201", "london"},
           Case{"+4930124", "+43201", "desk"},
           Case{"+4930124", "", "desk"},
           Case{"+4930125", "+43201", "desk"},
           Case{"a-name", "+43201", "desk"},
           Case{"", "", "desk"},
       }) {
    INFO(each.called, " from ", each.calling);
    CHECK(outcome(rows, each.called, each.calling) == each.user);
  }
}

TEST_CASE("the did anonymous matches calls without caller ID to any number") {
  const RouteRows rows = with_catchall({route("anonymous", "", "screening"), route("200", "", "office")});
  CHECK(outcome(rows, "200", "") == "screening");
  CHECK(outcome(rows, "+4930123", "anonymous") == "screening");
  CHECK(outcome(rows, "a-name", "") == "screening");
  CHECK(outcome(rows, "200", "+4319") == "office");
  CHECK(outcome(rows, "300", "+4319") == "desk");
}

TEST_CASE("a wildcard matches by prefix in fromNumber") {
  const RouteRows rows = with_catchall({route("200", "+431*", "vienna"), route("200", "*", "any")});
  CHECK(outcome(rows, "200", "+431") == "vienna");
  CHECK(outcome(rows, "200", "+4312") == "vienna");
  CHECK(outcome(rows, "200", "+432") == "any");
}

TEST_CASE("virtual numbers come after the routes and before the catchall") {
  const RouteRows rows = with_catchall({route("200", "", "office")});
  struct Case {
    const char* called;
    const char* mode;
    const char* outcome;
  };
  for (const Case& each : {
           Case{"200", "live-voice-ai", "office"},
           Case{"200", "disabled", "office"},
           Case{"300", "live-voice-ai", "number"},
           Case{"300", "disabled", "480"},
           Case{"300", "ring-user", "desk"},
           Case{"300", "a-mode-of-tomorrow", "desk"},
       }) {
    INFO(each.called, " ", each.mode);
    CHECK(outcome(rows, each.called, "+4319", number_of(each.mode)) == each.outcome);
  }
  CHECK(outcome(rows, "300", "+4319") == "desk");
  CHECK(outcome(rows, "300", "+4319", number_of("ring-user", "bob")) == "bob");
}

TEST_CASE("visibility does not matter to SIP calls") {
  numbers::Summary hidden = number_of("live-voice-ai");
  hidden.visibility = "hidden";
  CHECK(outcome(with_catchall({}), "300", "+4319", hidden) == "number");
}

TEST_CASE("a call that only a catchall without user takes is refused") {
  const RouteRows rows = with_catchall({}, "");
  CHECK(outcome(rows, "300", "+4319") == "480");
  CHECK(outcome(rows, "300", "+4319", number_of("ring-user")) == "480");
  CHECK(outcome({}, "300", "+4319") == "480");
  CHECK(decide_inbound(rows, InboundCall::read("300", ""), std::nullopt).row == rows.data());
}
