#include "shares/share_page.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "transcript_text.h"

using namespace patchbay::transcripts;

namespace {

bool page_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

constexpr int64_t kPageStart = 1'795'158'001'000;  // 2026-11-20T07:00:01Z

PublicTranscript sample_page() {
  PublicTranscript out;
  out.name = "Dr. Ann Müller";
  out.language = "de-DE";
  out.outcome = "far-hangup";
  out.started_ms = kPageStart;
  out.ended_ms = kPageStart + 125'000;
  out.duration_sec = 125;
  out.turns = {{true, "Guten Tag!", kPageStart + 1'000}, {false, "Hallo.\nWer ist da?", kPageStart + 65'000}};
  return out;
}

}  // namespace

TEST_CASE("the page has name, date, duration, outcome and the turns with their times") {
  const std::string page = share_page(sample_page(), 0);
  CHECK(page_contains(page, "<title>Call with Dr. Ann Müller</title>"));
  CHECK(page_contains(page, "<dd>20 November 2026, 07:00 UTC</dd>"));
  CHECK(page_contains(page, "<dd>2 min 5 s</dd>"));
  CHECK(page_contains(page, "<dd>The other side hung up</dd>"));
  CHECK(page_contains(page,
                      "<li class=\"ai\"><div class=\"who\"><b dir=\"auto\">AI assistant</b>"
                      "<time datetime=\"2026-11-20T07:00:02.000Z\">0:01</time></div>"
                      "<p dir=\"auto\" lang=\"de-DE\">Guten Tag!</p></li>"));
  CHECK(page_contains(page, ">1:05</time>"));
  CHECK(page_contains(page, "Hallo.\nWer ist da?</p>"));
  CHECK_FALSE(page_contains(page, "This link works until"));
  CHECK(page_contains(share_page(sample_page(), kPageStart),
                      "This link works until 20 November 2026, 07:00 UTC."));
  CHECK(page_contains(share_page({}, 0), "<title>Call transcript</title>"));
  CHECK(page_contains(share_page({}, 0), "Nothing was said."));
}

TEST_CASE("hostile text cannot leave its place in the page") {
  PublicTranscript hostile = sample_page();
  const std::string attack =
      "</p></li><script>alert(1)</script><img src=x onerror=alert(1)>\"' onmouseover=\"alert(1) &lt;b&gt; "
      "</title></style>\x01\x7f<!-- ]]> javascript:alert(1)";
  hostile.name = attack;
  hostile.outcome = attack;
  hostile.turns = {{false, attack, kPageStart}, {true, attack, kPageStart}};
  const std::string page = share_page(hostile, 0);
  CHECK_FALSE(page_contains(page, "<script"));
  CHECK_FALSE(page_contains(page, "<img"));
  CHECK_FALSE(page_contains(page, "<!--"));
  CHECK_FALSE(page_contains(page, "\x01"));
  CHECK_FALSE(page_contains(page, "\x7f"));
  CHECK_FALSE(page_contains(page, "onmouseover=\"alert"));
  CHECK(count(page, "</title>") == 1);
  CHECK(count(page, "</style>") == 1);
  CHECK(count(page, "<li>") + count(page, "<li class") == 2);
  CHECK(page_contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(page_contains(page, "&amp;lt;b&amp;gt;"));
}

TEST_CASE("the policy allows the page's own style and nothing else") {
  const std::string policy = page_security_policy();
  CHECK(policy.starts_with("default-src 'none'; style-src 'sha256-"));
  CHECK_FALSE(page_contains(policy, "unsafe"));
  CHECK(page_contains(policy, "frame-ancestors 'none'"));
  CHECK(count(share_page(sample_page(), 0), "<style>") == 1);
  CHECK_FALSE(page_contains(share_page(sample_page(), 0), "style=\""));
}

TEST_CASE("durations, offsets and unknown outcomes have a text") {
  CHECK(duration_text(0) == "0 s");
  CHECK(duration_text(-5) == "0 s");
  CHECK(duration_text(120) == "2 min");
  CHECK(duration_text(3599) == "59 min 59 s");
  CHECK(offset_text(3725) == "1:02:05");
  CHECK(outcome_text("finished") == "Completed");
  CHECK(outcome_text("of a later version") == "of a later version");
  CHECK(date_text(0) == "");
}

// With PATCHBAY_SHARE_PAGE=<file> writes a page with all kinds of text, to look at it.
TEST_CASE("a page can be written to a file" * doctest::skip(std::getenv("PATCHBAY_SHARE_PAGE") == nullptr)) {
  PublicTranscript out = sample_page();
  for (int i = 0; i < 6; ++i) {
    const int64_t at = kPageStart + 70'000 + i * 9'000;
    out.turns.push_back({true,
                         "Ich rufe wegen Ihres Termins am Donnerstag an. Möchten Sie ihn behalten, "
                         "verschieben oder absagen? Wir hätten auch am Freitag um 14 Uhr etwas frei.",
                         at});
    out.turns.push_back({false, "Behalten.", at + 4'000});
  }
  out.turns.push_back({false, "مرحبا، أود تغيير الموعد إلى يوم الأحد من فضلك.", kPageStart + 130'000});
  out.turns.push_back({true, "בסדר גמור, תודה רבה!", kPageStart + 135'000});
  out.turns.push_back({false,
                       "https://example.com/a/very/long/address/without/any/blank/"
                       "0123456789012345678901234567890123456789012345678901234567890",
                       kPageStart + 140'000});
  std::ofstream(std::getenv("PATCHBAY_SHARE_PAGE")) << share_page(out, kPageStart + 86'400'000);
}
