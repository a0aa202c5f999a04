#include "mail/outcome_message.h"

#include <doctest/doctest.h>

#include <sstream>

#include "mail/mail_schedule.h"
#include "mail/mime.h"
#include "support/smtp_server.h"

using namespace patchbay::transcripts;
using patchbay::test::mail_part;

namespace {

bool message_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr int64_t kStart = 1'795'158'001'000;  // 2026-11-20T07:00:01Z

OutcomeMail sample() {
  OutcomeMail mail;
  mail.tenant = "a.example";
  mail.call_id = "oac-0123456789ab";
  mail.recipient = "ops@example.com";
  mail.phone = "+4930123456";
  mail.display_name = "Dr. M\xC3\xBCller";
  mail.outcome = "finished";
  mail.ended_ms = kStart + 125'000;
  mail.duration_sec = 125;
  mail.file = "oac-0123456789ab.json";
  mail.created_ms = kStart + 126'000;
  return mail;
}

MailSender sender() { return {"calls@a.example", "Calls of A", "office@a.example"}; }

PublicTranscript transcript() {
  PublicTranscript out;
  out.started_ms = kStart;
  out.turns = {{true, "Guten Tag! <b>", kStart + 1000}, {false, "Hallo.", kStart + 65'000}};
  return out;
}

// The header lines of the message, unfolded.
std::vector<std::string> headers_of(const std::string& message) {
  std::vector<std::string> all;
  std::istringstream in(message.substr(0, message.find("\r\n\r\n")));
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line.front() == ' ')
      all.back() += line;
    else
      all.push_back(line);
  }
  return all;
}

void check_format(const std::string& message) {
  for (size_t at = 0; at < message.size();) {
    const size_t end = message.find("\r\n", at);
    REQUIRE(end != std::string::npos);
    const std::string line = message.substr(at, end - at);
    CHECK_MESSAGE(line.size() <= 78, line);
    for (const char c : line)
      CHECK((static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F));
    at = end + 2;
  }
}

}  // namespace

TEST_CASE("a message has text, HTML and the transcript as attachments") {
  const std::string message = outcome_message(sample(), sender(), transcript());
  check_format(message);
  const auto headers = headers_of(message);
  CHECK(headers.at(0) == "Date: Fri, 20 Nov 2026 07:02:07 +0000");
  CHECK(headers.at(1) == "From: Calls of A <calls@a.example>");
  CHECK(headers.at(2) == "To: ops@example.com");
  CHECK(headers.at(3) == "Reply-To: office@a.example");
  CHECK(headers.at(4).starts_with("Subject: =?UTF-8?B?"));
  CHECK(headers.at(5).starts_with("Message-ID: <oac-0123456789ab."));
  CHECK(headers.at(5).ends_with("@a.example>"));
  CHECK(headers.at(6) == "Auto-Submitted: auto-generated");

  const std::string text = mail_part(message, "text/plain");
  CHECK(text ==
        "Call to Dr. M\xC3\xBCller\n\nOutcome: Completed\nNumber: +4930123456\n"
        "Ended: 20 November 2026, 07:02 UTC\nDuration: 2 min 5 s\nCall: oac-0123456789ab\n\nTranscript\n\n"
        "[0:01] AI: Guten Tag! <b>\n[1:05] Caller: Hallo.\n");
  const std::string html = mail_part(message, "text/html");
  CHECK(message_contains(html, "Guten Tag! &lt;b&gt;"));
  CHECK(message_contains(html, "Dr. M\xC3\xBCller"));
  CHECK(message_contains(message, "filename=\"oac-0123456789ab.txt\""));
  CHECK(mail_part(message, "text/plain", 1) == "[0:01] AI: Guten Tag! <b>\n[1:05] Caller: Hallo.\n");
  CHECK(message_contains(mail_part(message, "application/json"), "\"turns\":[{\"speaker\":\"AI\""));
}

TEST_CASE("a call without a transcript has a message without attachments, with the reason") {
  OutcomeMail mail = sample();
  mail.outcome = "no-answer";
  mail.error_detail = "busy (486)";
  mail.attempts = 3;
  mail.duration_sec = 0;
  const std::string message = outcome_message(mail, {"calls@a.example", "", ""}, std::nullopt);
  check_format(message);
  CHECK_FALSE(message_contains(message, "attachment"));
  CHECK_FALSE(message_contains(message, "Reply-To"));
  CHECK(message_contains(message, "From: calls@a.example\r\n"));
  const std::string text = mail_part(message, "text/plain");
  CHECK(message_contains(text, "Outcome: Not answered\nDetail: busy (486)\n"));
  CHECK(message_contains(text, "Attempts: 3\n"));
}

TEST_CASE("no text of users makes another header, however long or hostile it is") {
  for (const std::string& name :
       {std::string("x\r\nBcc: evil@example.com\r\n\r\nbody"), std::string("=?UTF-8?B?eA==?="),
        std::string(5000, 'x'), std::string("\xFF\xFE\x80\x00z", 5),
        std::string("\xF0\x9F\x98\x80") + std::string(300, '\n'), std::string("\"<>@,;:")}) {
    OutcomeMail mail = sample();
    mail.display_name = mail.error_detail = mail.outcome = name;
    MailSender from = sender();
    from.from_name = name.substr(0, 100);
    PublicTranscript hostile = transcript();
    hostile.turns[0].text = name + "\r\n.\r\nQUIT\r\n--mixed";
    const std::string message = outcome_message(mail, from, hostile);
    check_format(message);
    const auto headers = headers_of(message);
    CHECK(headers.size() == 9);
    for (const std::string& header : headers) CHECK_FALSE(header.starts_with("Bcc"));
  }
}

TEST_CASE("a repeated message is the same, and other calls have another id") {
  CHECK(outcome_message(sample(), sender(), transcript()) ==
        outcome_message(sample(), sender(), transcript()));
  OutcomeMail other = sample();
  other.call_id = "oac-0123456789ac";
  CHECK(message_id(other) != message_id(sample()));
  other = sample();
  other.tenant = "b.example";
  CHECK(message_id(other) != message_id(sample()));
}

TEST_CASE("headers are encoded at the boundaries of characters") {
  CHECK(header_text("plain", 9) == "plain");
  CHECK(header_text("a\r\nb", 9) == "a  b");
  std::string long_text;
  for (int i = 0; i < 40; ++i) long_text += "\xE2\x82\xAC";
  const std::string encoded = header_text(long_text, 9);
  CHECK(message_contains(encoded, "?=\r\n =?UTF-8?B?"));
  CHECK(header_address("Ann, \"the\" <boss>", "a@b.de", 6).find("=?UTF-8?B?") == 0);
  CHECK(header_date(0) == "Thu, 01 Jan 1970 00:00:00 +0000");
}

TEST_CASE("a message is tried after minutes, then hourly, for a day") {
  constexpr int64_t kMinute = 60'000, kDay = 24 * 60 * kMinute;
  static_assert(next_mail_ms(1, 0, 0) == kMinute);
  static_assert(next_mail_ms(4, 0, 1000) == 8 * kMinute + 1000);
  static_assert(next_mail_ms(1000, 0, 0) == 60 * kMinute);
  int64_t now_ms = 0, tries = 0;
  while (const auto next = next_mail_ms(++tries, 0, now_ms)) now_ms = *next;
  CHECK(now_ms > kDay - 60 * kMinute);
  CHECK(now_ms <= kDay);
  CHECK(tries == 29);
}
