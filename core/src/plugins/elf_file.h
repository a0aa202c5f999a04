// ElfFile: reads the sections and symbols of a shared object without loading it. The file is not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/result.h"
#include "plugins/file_parts.h"

namespace patchbay::core {

// Immutable and thread-safe. Views into it live as long as it does.
class ElfFile {
 public:
  struct Symbol {
    std::string_view name;  // without its version
    uint64_t address = 0;   // as the file numbers them; 0 when undefined
    uint64_t size = 0;
  };

  // Code::invalid: not a 64-bit shared object of this machine, or cut short; the text says which, with the
  // fix.
  static Result<ElfFile> read(const std::filesystem::path& path);  // only the parts that are needed
  static Result<ElfFile> parse(std::string bytes);

  // Contents of a section, without zero bytes at its end; nullopt when there is none.
  std::optional<std::string_view> section(std::string_view name) const;
  // DT_NEEDED: the libraries that it needs, in order.
  const std::vector<std::string>& needed() const noexcept { return needed_; }
  // The folders to search for them, separated by ':', with $ORIGIN: DT_RUNPATH, else DT_RPATH.
  const std::string& run_path() const noexcept { return run_path_; }
  // Symbols that it exports, and those that it needs from elsewhere (without weak ones). Read at each call,
  // because a server needs none.
  std::vector<Symbol> exported() const;
  std::vector<Symbol> undefined() const;
  // It requests an executable stack.
  bool executable_stack() const noexcept { return executable_stack_; }
  // The file's bytes of `size` at an address; empty when the file does not hold all of them.
  std::string_view at(uint64_t address, uint64_t size) const;

 private:
  struct Section {
    std::string_view name;
    uint32_t type;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
  };
  struct Segment {
    uint64_t address;
    uint64_t offset;
    uint64_t size;
  };

  explicit ElfFile(FileParts bytes) : bytes_(std::move(bytes)) {}
  static Result<ElfFile> parse(FileParts bytes);
  Status read_header();
  Status read_sections();
  void read_segments();
  void read_dynamic();
  enum class Symbols { exported, undefined };
  std::vector<Symbol> symbols(Symbols which) const;
  // Part of the file; empty when it does not lie inside.
  std::string_view part(uint64_t offset, uint64_t size) const { return bytes_.at(offset, size); }
  std::string_view linked(const Section& section) const;

  FileParts bytes_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;  // that are loaded
  std::vector<std::string> needed_;
  std::string run_path_;
  bool executable_stack_ = false;
};

}  // namespace patchbay::core
