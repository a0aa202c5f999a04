#include "plugins/elf_file.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <system_error>

namespace patchbay::core {
namespace {

// The struct at the beginning of `bytes`, which is long enough.
template <class T>
T load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

Status bad(const char* text) { return {Code::invalid, text}; }

}  // namespace

Result<ElfFile> ElfFile::read(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return {Code::not_found, "cannot be read: " + error.message()};
  if (size > kMostBytes) return {Code::invalid, "is larger than 512 MiB"};
  ElfFile file;
  file.bytes_.resize(size);
  std::ifstream in(path, std::ios::binary);
  if (!in.read(file.bytes_.data(), static_cast<std::streamsize>(size)))
    return {Code::failed, "cannot be read"};
  PB_TRY(file.read_sections());
  file.read_needed();
  return file;
}

std::string_view ElfFile::part(uint64_t offset, uint64_t size) const noexcept {
  if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
  return std::string_view(bytes_).substr(offset, size);
}

std::string_view ElfFile::string_at(std::string_view table, uint64_t offset) const noexcept {
  if (offset >= table.size()) return {};
  const auto rest = table.substr(offset);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

Status ElfFile::read_sections() {
  const auto head = part(0, sizeof(Elf64_Ehdr));
  if (head.empty() || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return bad("is not a shared object");
  const auto header = load<Elf64_Ehdr>(head);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_DYN) {
    return bad("is not a 64-bit shared object of this platform");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > 4096)
    return bad("has an odd section table");
  const auto table = part(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (table.empty() || header.e_shstrndx >= header.e_shnum)
    return bad("has no section table, or is cut short");
  const auto at = [&](uint32_t i) {
    return load<Elf64_Shdr>(table.substr(i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr)));
  };
  const auto names_header = at(header.e_shstrndx);
  const auto names = part(names_header.sh_offset, names_header.sh_size);
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at(i);
    sections_.push_back({string_at(names, section.sh_name), section.sh_type, section.sh_offset,
                         section.sh_size, section.sh_link});
  }
  return {};
}

void ElfFile::read_needed() {
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNAMIC || section.link >= sections_.size()) continue;
    const auto names = part(sections_[section.link].offset, sections_[section.link].size);
    auto rest = part(section.offset, section.size);
    for (; rest.size() >= sizeof(Elf64_Dyn); rest.remove_prefix(sizeof(Elf64_Dyn))) {
      const auto entry = load<Elf64_Dyn>(rest);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) needed_.emplace_back(string_at(names, entry.d_un.d_val));
    }
  }
}

std::optional<std::string_view> ElfFile::section(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name != name || section.type == SHT_NOBITS) continue;
    auto contents = part(section.offset, section.size);
    while (!contents.empty() && contents.back() == '\0') contents.remove_suffix(1);
    return contents;
  }
  return std::nullopt;
}

}  // namespace patchbay::core
