// Saves transcripts: writes the file, then adds row and event to the caller's transaction. Main
// strand; files are written on workers.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>

#include "archive.h"
#include "transcript_record.h"

namespace patchbay::transcripts {

class Saver {
 public:
  Saver(const Host& host, const Archive& archive);
  // Offers the method `save` of patchbay.transcripts.
  void add_to(Provision<Transcripts>& provision);

 private:
  void save(Save request, Reply<Saved> reply);
  Result<TranscriptRecord> store_file(const Save& request) const;
  void add_row(const Save& request, const TranscriptRecord& record) const;
  void failed(const Save& request, const Error& error) const;

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Log log_;
  const Statement save_;
  const Metric saved_, failed_;
};

}  // namespace patchbay::transcripts
