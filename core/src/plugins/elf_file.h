// ElfFile: reads the sections and symbols of a shared object without loading it. The file is not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/result.h"

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
  static Result<ElfFile> read(const std::filesystem::path& path);
  static Result<ElfFile> parse(std::string bytes);

  // Contents of a section, without zero bytes at its end; nullopt when there is none.
  std::optional<std::string_view> section(std::string_view name) const;
  // DT_NEEDED: the libraries that it needs, in order.
  const std::vector<std::string>& needed() const noexcept { return needed_; }
  // The folders to search for them, separated by ':', with $ORIGIN: DT_RUNPATH, else DT_RPATH.
  const std::string& run_path() const noexcept { return run_path_; }
  // Symbols that it exports, and those that it needs from elsewhere (without weak ones).
  const std::vector<Symbol>& exported() const noexcept { return exported_; }
  const std::vector<Symbol>& undefined() const noexcept { return undefined_; }
  // It requests an executable stack.
  bool executable_stack() const noexcept { return executable_stack_; }
  // The file's bytes of `size` at an address; empty when the file does not hold all of them.
  std::string_view at(uint64_t address, uint64_t size) const noexcept;

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

  Status read_header();
  Status read_sections();
  void read_segments();
  void read_dynamic();
  void read_symbols();
  // Part of the file; empty when it does not lie inside.
  std::string_view part(uint64_t offset, uint64_t size) const noexcept;
  std::string_view linked(const Section& section) const noexcept;

  std::string bytes_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;  // that are loaded
  std::vector<std::string> needed_;
  std::string run_path_;
  std::vector<Symbol> exported_;
  std::vector<Symbol> undefined_;
  bool executable_stack_ = false;
};

}  // namespace patchbay::core
