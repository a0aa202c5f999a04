// Reads and writes the transcript files: one folder per tenant. Every function blocks, so call them on a
// worker. Different threads may use different files.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace patchbay::transcripts {

class Archive {
 public:
  explicit Archive(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Returns when the file is on disk. A reader sees the old file, no file, or the complete new one. `tenant`
  // and `file` must be valid by file_name.h.
  Status write(std::string_view tenant, std::string_view file, std::string_view text) const;
  // Returns true also if the file does not exist.
  bool remove(std::string_view tenant, std::string_view file) const;
  Result<std::string> read(std::string_view tenant, std::string_view file) const;
  // Deletes the temporary files of interrupted writes. Call it before the first write.
  void remove_temporary() const;

 private:
  const std::filesystem::path folder_;
};

}  // namespace patchbay::transcripts
