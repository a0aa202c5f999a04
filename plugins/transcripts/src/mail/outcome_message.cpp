#include "mail/outcome_message.h"

#include <patchbay/hex.h>
#include <patchbay/utf8.h>

#include <algorithm>

#include "crypto/digest.h"
#include "mail/mime.h"
#include "transcript_text.h"

namespace patchbay::transcripts {
namespace {

constexpr size_t kMaxSubjectName = 80;

struct Fact {
  const char* name;
  std::string value;
};

std::string party(const OutcomeMail& mail) {
  return mail.display_name.empty() ? mail.phone : mail.display_name;
}

std::vector<Fact> facts_of(const OutcomeMail& mail) {
  std::vector<Fact> all;
  all.push_back({"Outcome", outcome_text(mail.outcome)});
  if (!mail.error_detail.empty()) all.push_back({"Detail", mail.error_detail});
  all.push_back({"Number", mail.phone});
  if (mail.ended_ms > 0) all.push_back({"Ended", date_text(mail.ended_ms)});
  if (mail.duration_sec > 0) all.push_back({"Duration", duration_text(mail.duration_sec)});
  if (mail.attempts > 1) all.push_back({"Attempts", std::to_string(mail.attempts)});
  all.push_back({"Call", mail.call_id});
  return all;
}

std::string time_of_turn(const PublicTranscript& transcript, const PublicTurn& turn) {
  if (turn.at_ms == 0 || transcript.started_ms == 0) return {};
  return offset_text(std::max<int64_t>(0, (turn.at_ms - transcript.started_ms) / 1000));
}

std::string transcript_lines(const PublicTranscript& transcript) {
  std::string out;
  for (const PublicTurn& turn : transcript.turns) {
    const std::string time = time_of_turn(transcript, turn);
    if (!time.empty()) out.append("[").append(time).append("] ");
    out.append(turn.is_ai ? "AI: " : "Caller: ").append(turn.text).append("\n");
  }
  return out;
}

std::string text_body(const OutcomeMail& mail, const std::optional<PublicTranscript>& transcript) {
  std::string out = "Call to " + party(mail) + "\n\n";
  for (const Fact& fact : facts_of(mail)) out.append(fact.name).append(": ").append(fact.value).append("\n");
  if (transcript) out.append("\nTranscript\n\n").append(transcript_lines(*transcript));
  return out;
}

std::string html_body(const OutcomeMail& mail, const std::optional<PublicTranscript>& transcript) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"></head>\n"
      "<body style=\"font-family:Arial,sans-serif;font-size:15px;line-height:1.5;color:#1b1e24\">\n<h2>Call "
      "to ";
  out.append(escape_html(party(mail))).append("</h2>\n<table cellpadding=\"3\">\n");
  for (const Fact& fact : facts_of(mail)) {
    out.append("<tr><td style=\"color:#5a6170\">").append(fact.name).append("</td><td>");
    out.append(escape_html(fact.value)).append("</td></tr>\n");
  }
  out += "</table>\n";
  if (transcript) {
    out += "<h3>Transcript</h3>\n";
    for (const PublicTurn& turn : transcript->turns) {
      out.append("<p dir=\"auto\"><b>").append(turn.is_ai ? "AI" : "Caller").append("</b> <small>");
      out.append(time_of_turn(*transcript, turn)).append("</small><br>").append(escape_html(turn.text));
      out.append("</p>\n");
    }
  }
  return out + "</body></html>\n";
}

void append_part(std::string& out, const std::string& boundary, const std::string& headers,
                 std::string_view content) {
  out.append("--").append(boundary).append("\r\n").append(headers);
  out.append("Content-Transfer-Encoding: base64\r\n\r\n").append(base64_lines(content));
}

std::string attachment_headers(const char* type, const std::string& name) {
  return std::string("Content-Type: ") + type + ";\r\n name=\"" + name +
         "\"\r\nContent-Disposition: attachment;\r\n filename=\"" + name + "\"\r\n";
}

std::string digest_of(const OutcomeMail& mail) {
  return to_hex(lib::sha256(mail.tenant + "\n" + mail.call_id)).substr(0, 24);
}

std::string header_lines(const OutcomeMail& mail, const MailSender& sender) {
  const std::string name(clip_characters(party(mail), kMaxSubjectName));
  const std::string subject = "Call to " + name + ": " + outcome_text(mail.outcome);
  std::string out = "Date: " + header_date(mail.created_ms) + "\r\n";
  out += "From: " + header_address(sender.from_name, sender.from, 6) + "\r\n";
  out += "To: " + mail.recipient + "\r\n";
  if (!sender.reply_to.empty()) out += "Reply-To: " + sender.reply_to + "\r\n";
  out += "Subject: " + header_text(subject, 9) + "\r\n";
  out += "Message-ID:\r\n " + message_id(mail) + "\r\n";
  return out + "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
}

}  // namespace

// The part before "@" has no text of users but the call's id, which is_call_id() has checked.
std::string message_id(const OutcomeMail& mail) {
  return "<" + mail.call_id + "." + digest_of(mail) + "@" + mail.tenant + ">";
}

std::string outcome_message(const OutcomeMail& mail, const MailSender& sender,
                            const std::optional<PublicTranscript>& transcript) {
  const std::string outer = "mixed-" + digest_of(mail), inner = "alternative-" + digest_of(mail);
  std::string out = header_lines(mail, sender);
  out += "Content-Type: multipart/mixed;\r\n boundary=\"" + outer + "\"\r\n\r\n";
  out += "--" + outer + "\r\nContent-Type: multipart/alternative;\r\n boundary=\"" + inner + "\"\r\n\r\n";
  append_part(out, inner, "Content-Type: text/plain; charset=utf-8\r\n", text_body(mail, transcript));
  append_part(out, inner, "Content-Type: text/html; charset=utf-8\r\n", html_body(mail, transcript));
  out += "--" + inner + "--\r\n";
  if (transcript) {
    append_part(out, outer, attachment_headers("text/plain; charset=utf-8", mail.call_id + ".txt"),
                transcript_lines(*transcript));
    append_part(out, outer, attachment_headers("application/json", mail.call_id + ".json"),
                public_json(*transcript, 0));
  }
  return out + "--" + outer + "--\r\n";
}

}  // namespace patchbay::transcripts
