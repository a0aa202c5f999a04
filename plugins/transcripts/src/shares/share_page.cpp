#include "shares/share_page.h"

#include <patchbay/base64.h>
#include <patchbay/utc.h>

#include <algorithm>

#include "crypto/digest.h"
#include "transcript_text.h"

namespace patchbay::transcripts {
namespace {

// Colours have a contrast of at least 4.5 to 1 in both schemes. Sides are logical, so that right-to-left text
// is aligned correctly.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--text:#1b1e24;--faint:#5a6170;--line:#dde0e6;--ai:#e7effc;--name:#1f4fa3}
@media(prefers-color-scheme:dark){:root{--page:#14161a;--card:#1e2127;--text:#e8eaee;--faint:#a3aab8;--line:#343943;--ai:#22314d;--name:#9cc0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
main{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}
dl{display:flex;flex-wrap:wrap;gap:.25rem 2rem;margin:0 0 1.5rem;padding:0 0 1.25rem;border-bottom:1px solid var(--line)}
dt{font-size:.8125rem;color:var(--faint)}
dd{margin:0}
ol{list-style:none;margin:0;padding:0}
li{margin:0 0 .75rem;max-width:88%;width:fit-content;padding:.625rem .875rem;border-radius:.875rem;background:var(--card);border:1px solid var(--line)}
li.ai{margin-inline-start:auto;background:var(--ai);border-color:transparent}
.who{display:flex;gap:.75rem;align-items:baseline;justify-content:space-between;font-size:.8125rem;color:var(--faint)}
.who b{color:var(--name)}
.who time{font-variant-numeric:tabular-nums;white-space:nowrap}
p{margin:.125rem 0 0;white-space:pre-line}
footer{margin-top:2rem;font-size:.8125rem;color:var(--faint)}
@media print{
@page{margin:18mm 16mm}
:root{color-scheme:light;--page:#fff;--card:#fff;--text:#000;--faint:#444;--line:#bbb;--ai:#fff;--name:#000}
body{font-size:10.5pt}
main{max-width:none;padding:0}
li,li.ai{max-width:none;width:auto;margin:0 0 6pt;padding:0 0 6pt;border:0;border-radius:0;border-bottom:.5pt solid #ccc;break-inside:avoid-page}
.who{justify-content:flex-start}
h1,dl{break-after:avoid}
p{orphans:3;widows:3}
}
)";

std::string document_html(std::string_view title, const std::string& content) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"robots\" content=\"noindex\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>";
  out.append(escape_html(title)).append("</title>\n<style>").append(kStyle).append("</style>\n");
  out.append("</head>\n<body>\n<main>\n").append(content).append("</main>\n</body>\n</html>\n");
  return out;
}

void append_fact(std::string& out, const char* name, const std::string& value) {
  if (value.empty()) return;
  out.append("<div><dt>").append(name).append("</dt><dd>").append(escape_html(value)).append("</dd></div>\n");
}

std::string turn_html(const PublicTranscript& transcript, const PublicTurn& turn) {
  const std::string other = transcript.name.empty() ? "Caller" : transcript.name;
  std::string out = turn.is_ai ? "<li class=\"ai\">" : "<li>";
  out.append("<div class=\"who\"><b dir=\"auto\">").append(turn.is_ai ? "AI assistant" : escape_html(other));
  out.append("</b>");
  if (turn.at_ms > 0 && transcript.started_ms > 0) {
    const int64_t seconds = std::max<int64_t>(0, (turn.at_ms - transcript.started_ms) / 1000);
    out.append("<time datetime=\"").append(utc_text(turn.at_ms)).append("\">");
    out.append(offset_text(seconds)).append("</time>");
  }
  out.append("</div><p dir=\"auto\"");
  if (!transcript.language.empty())
    out.append(" lang=\"").append(escape_html(transcript.language)).append("\"");
  return out.append(">").append(escape_html(turn.text)).append("</p></li>\n");
}

}  // namespace

std::string share_page(const PublicTranscript& transcript, int64_t expires_ms) {
  const std::string title = transcript.name.empty() ? "Call transcript" : "Call with " + transcript.name;
  std::string content = "<h1><bdi>" + escape_html(title) + "</bdi></h1>\n<dl>\n";
  append_fact(content, "Date", date_text(transcript.started_ms));
  append_fact(content, "Duration", duration_text(transcript.duration_sec));
  append_fact(content, "Outcome", outcome_text(transcript.outcome));
  content += "</dl>\n";
  if (transcript.turns.empty()) content += "<p>Nothing was said.</p>\n";
  content += "<ol>\n";
  for (const PublicTurn& turn : transcript.turns) content += turn_html(transcript, turn);
  content +=
      "</ol>\n<footer>Written by a computer while the call took place; words may differ from what was said.";
  if (expires_ms > 0) content += " This link works until " + date_text(expires_ms) + ".";
  content += "</footer>\n";
  return document_html(title, content);
}

std::string notice_page(std::string_view heading, std::string_view text) {
  return document_html(heading, "<h1>" + escape_html(heading) + "</h1>\n<p>" + escape_html(text) + "</p>\n");
}

std::string page_security_policy() {
  std::string hash;
  append_base64(hash, lib::sha256(kStyle));
  return "default-src 'none'; style-src 'sha256-" + hash +
         "'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

}  // namespace patchbay::transcripts
