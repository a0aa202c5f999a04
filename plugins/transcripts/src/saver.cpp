#include "saver.h"

#include <patchbay/strand.h>

#include "file_name.h"

namespace patchbay::transcripts {
namespace {

constexpr size_t kLargest = size_t{16} << 20;
constexpr int64_t kMostAttempts = 1000;

Status check(const Save& request) {
  if (!request.tx) return {Code::invalid, "tx is missing"};
  if (!is_call_id(request.call_id)) return {Code::invalid, "call_id cannot name a file"};
  if (!is_tenant(request.tenant)) return {Code::invalid, "tenant cannot name a folder"};
  if (request.attempt < 1 || request.attempt > kMostAttempts)
    return {Code::invalid, "attempt must be 1 to 1000"};
  if (request.document.size() > kLargest) return {Code::invalid, "document is larger than 16 MiB"};
  return {};
}

}  // namespace

Saver::Saver(const Host& host, const Archive& archive)
    : host_(host), archive_(archive), put_(Statement::find(host, "put")), provision_(host) {
  provision_.on(Transcripts::save,
                [this](Save request, Reply<Saved> reply) { save(std::move(request), std::move(reply)); });
}

Status Saver::open() { return provision_.publish(); }

void Saver::save(Save request, Reply<Saved> reply) {
  if (Status status = check(request); !status) return reply(status.error());
  // Shared so that a refusal can still be answered.
  auto answer = std::make_shared<Reply<Saved>>(std::move(reply));
  const Status taken = post_worker(host_, [this, request = std::move(request), answer] {
    auto record = store_file(request);
    post(host_, kMainStrand, [this, request, record = std::move(record), answer] {
      if (!record) return (*answer)(record.error());
      add_to(request, *record);
      (*answer)(Saved{record->file});
    });
  });
  if (!taken) (*answer)(taken.error());
}

// On a worker.
Result<Record> Saver::store_file(const Save& request) const {
  PB_TRY_VALUE(const Json document, host_.parse_json(request.document));
  if (!document.root().is_object()) return {Code::invalid, "document must be a JSON object"};
  Record record = make_record(request, document.root(), host_.wall_ms());
  PB_TRY(archive_.write(record.tenant, record.file, request.document));
  return record;
}

void Saver::add_to(const Save& request, const Record& record) const {
  Transaction tx = Transaction::borrow(host_, request.tx);
  tx.exec(put_, put_values(record), 1);
  NewEvent event;
  event.topic = "transcript.saved";
  event.tenant = record.tenant;
  event.subject = record.call_id;
  event.correlation = request.correlation;
  event.payload = saved_data(record);
  tx.emit(event);
}

}  // namespace patchbay::transcripts
