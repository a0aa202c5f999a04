#include "saver.h"

#include <patchbay/strand.h>
#include <patchbay/utf8.h>

#include "file_name.h"
#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

Status check(const Save& request) {
  if (!request.tx) return {Code::invalid, "tx is missing"};
  if (!is_call_id(request.call_id)) return {Code::invalid, "call_id is not a valid file name"};
  if (!is_tenant(request.tenant)) return {Code::invalid, "tenant is not a valid folder name"};
  if (request.attempt < 1 || request.attempt > kMaxAttempt)
    return {Code::invalid, "attempt must be 1 to 1000"};
  if (request.document.size() > kMaxDocumentBytes) return {Code::invalid, "document is larger than 16 MiB"};
  return {};
}

}  // namespace

Saver::Saver(const Host& host, const Archive& archive)
    : host_(host),
      archive_(archive),
      log_(host),
      save_(Statement::find(host, "save")),
      saved_(Metric::counter(host, "patchbay_transcripts_saved_total", "Transcripts written to a file")),
      failed_(Metric::counter(host, "patchbay_transcripts_failed_total",
                              "Transcripts that could not be saved")) {}

void Saver::add_to(Provision<Transcripts>& provision) {
  provision.on(Transcripts::save,
               [this](Save request, Reply<Saved> reply) { save(std::move(request), std::move(reply)); });
}

void Saver::save(Save request, Reply<Saved> reply) {
  if (Status status = check(request); !status) return reply(status.error());
  // Shared, because post_worker() may fail, and because copies of the document are expensive.
  auto shared_reply = std::make_shared<Reply<Saved>>(std::move(reply));
  const auto shared = std::make_shared<const Save>(std::move(request));
  const Status posted = post_worker(host_, [this, shared, shared_reply] {
    auto record = store_file(*shared);
    post(host_, kMainStrand, [this, shared, record = std::move(record), shared_reply] {
      if (!record) {
        failed(*shared, record.error());
        return (*shared_reply)(record.error());
      }
      saved_.add();
      add_row(*shared, *record);
      (*shared_reply)(Saved{record->file});
    });
  });
  if (posted) return;
  failed(*shared, posted.error());
  (*shared_reply)(posted.error());
}

// [worker] Makes the document valid UTF-8, so that one bad byte of an engine's text does not lose the
// transcript.
Result<TranscriptRecord> Saver::store_file(const Save& request) const {
  const std::string text = valid_utf8(request.document);
  PB_TRY_VALUE(const Json document, host_.parse_json(text));
  if (!document.root().is_object()) return {Code::invalid, "document must be a JSON object"};
  TranscriptRecord record = make_record(request, document.root(), host_.wall_ms());
  record.size = static_cast<int64_t>(text.size());
  PB_TRY(archive_.write(record.tenant, record.file, text));
  return record;
}

void Saver::failed(const Save& request, const Error& error) const {
  failed_.add();
  log_.with(request.correlation)
      .error("a transcript could not be saved",
             {{"tenant", request.tenant}, {"call", request.call_id}, {"why", error.text}});
}

void Saver::add_row(const Save& request, const TranscriptRecord& record) const {
  Transaction tx = Transaction::borrow(host_, request.tx);
  tx.exec(save_, save_values(record), 1);
  NewEvent event;
  event.topic = "transcript.saved";
  event.tenant = record.tenant;
  event.subject = record.call_id;
  event.correlation = request.correlation;
  event.payload = saved_data(record);
  tx.emit(event);
}

}  // namespace patchbay::transcripts
