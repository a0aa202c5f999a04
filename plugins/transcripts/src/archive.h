// The files: one folder per tenant. Every function blocks; call them on a worker. Different files may be
// worked on by different threads.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace patchbay::transcripts {

class Archive {
 public:
  explicit Archive(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // On the disk when it returns: a reader sees the old file, none, or all of the new one. `tenant` and `file`
  // passed file_name.h.
  Status write(std::string_view tenant, std::string_view file, std::string_view text) const;
  // Also true when there is none.
  bool remove(std::string_view tenant, std::string_view file) const;
  Result<std::string> read(std::string_view tenant, std::string_view file) const;
  // Removes what writes that were cut off left behind. Before the first write.
  void remove_unfinished() const;

 private:
  const std::filesystem::path folder_;
};

}  // namespace patchbay::transcripts
