// patchbay.transcripts: the file first, then row and event in the caller's transaction. On the main strand;
// files are written on workers.
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
  // Offers the service.
  Status open();

 private:
  void save(Save request, Reply<Saved> reply);
  Result<Record> store_file(const Save& request) const;
  void add_to(const Save& request, const Record& record) const;
  void failed(const Save& request, const Error& error) const;

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Log log_;
  const Statement put_;
  const Metric saved_, failed_;
  Provision<Transcripts> provision_;
};

}  // namespace patchbay::transcripts
