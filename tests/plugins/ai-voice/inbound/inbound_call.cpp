#include "inbound/inbound_call.h"

#include <doctest/doctest.h>

#include "inbound/inbound_use.h"

using namespace patchbay;
using namespace patchbay::ai_voice;

namespace {

InboundCall reception() {
  InboundCall call;
  call.call_id = "vnum-0123456789ab";
  call.tenant = "acme.example";
  call.name = "Reception";
  call.did = "+4930111";
  call.started_ms = 1000;
  call.answered_ms = 3000;
  return call;
}

}  // namespace

TEST_CASE(
    "events of inbound calls have the fields of the catalogue, and tenant, subject and correlation id") {
  InboundEnd end;
  end.outcome = "finished";
  end.ended_ms = 8999;
  end.usage.total = 7;
  const NewEvent answered = inbound_answered(reception(), 2000);
  const NewEvent started = inbound_started(reception());
  const NewEvent ended = inbound_ended(reception(), end);
  CHECK(answered.payload == R"({"callId":"vnum-0123456789ab","did":"+4930111","fromNumber":"",)"
                            R"("direction":"inbound","source":"engine-live","answerMs":2000})");
  CHECK(started.payload == R"({"callId":"vnum-0123456789ab","number":"+4930111","did":"+4930111",)"
                           R"("direction":"inbound","source":"engine-live"})");
  CHECK(ended.payload ==
        R"({"callId":"vnum-0123456789ab","number":"+4930111","room":"","outcome":"finished",)"
        R"("durationSec":5,"tokens":7,"source":"sip"})");
  for (const NewEvent& event : {answered, started, ended}) {
    CHECK(event.tenant == "acme.example");
    CHECK(event.subject == "vnum-0123456789ab");
    CHECK(event.correlation == "vnum-0123456789ab");
  }
}

TEST_CASE("the transcript of an inbound call has number, fromNumber, room and rule") {
  InboundEnd end;
  end.outcome = "far-hangup";
  end.ended_ms = 4000;
  end.turns = {{TranscriptTurn::Speaker::ai, "Hello.", 3500}};
  const std::string text = inbound_document(reception(), end);
  CHECK(
      text.rfind(R"({"callId":"vnum-0123456789ab","callerSource":"vnum","tenant":"acme.example",)"
                 R"("requestedBy":"","number":"+4930111","fromNumber":"","room":"","rule":"vnum:Reception",)",
                 0) == 0);
  CHECK(text.find(R"("turns":[{"speaker":"AI","text":"Hello.","ts":"1970-01-01T00:00:03.500Z"}])") !=
        std::string::npos);
}

TEST_CASE("callers are counted by tenant, and those that talk") {
  InboundUse use;
  auto first = use.take("a");
  auto second = use.take("a");
  const auto other = use.take("b");
  first->talks();
  CHECK(use.of("a") == 2);
  CHECK(use.of("c") == 0);
  CHECK(use.total() == 3);
  CHECK(use.talking() == 1);
  first.reset();
  second.reset();
  CHECK(use.of("a") == 0);
  CHECK(use.total() == 1);
  CHECK(use.talking() == 0);
}

TEST_CASE("a caller who is handed over has one place, whichever call ends last") {
  InboundUse use;
  auto first = use.take("a");
  first->talks();
  auto second = first;
  second->talks();
  CHECK(use.of("a") == 1);
  CHECK(use.talking() == 1);
  first.reset();
  CHECK(use.of("a") == 1);
  second.reset();
  CHECK(use.total() == 0);
}
