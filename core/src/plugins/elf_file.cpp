#include "plugins/elf_file.h"

#include <elf.h>

#include <cstring>
#include <utility>

#include "plugins/plugin_file_limits.h"

namespace patchbay::core {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
#error "which ELF machine is this?"
#endif

// The struct at the beginning of `bytes`, which is long enough.
template <class T>
T load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string_view string_at(std::string_view table, uint64_t offset) noexcept {
  if (offset >= table.size()) return {};
  const auto rest = table.substr(offset);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "32-bit arm";
    case EM_386:
      return "32-bit x86";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine);
  }
}

Status bad(std::string text) { return {Code::invalid, std::move(text)}; }

constexpr char kNotWhole[] = "is cut short; copy or build it again";

}  // namespace

Result<ElfFile> ElfFile::read(const std::filesystem::path& path) {
  PB_TRY_VALUE(FileParts bytes, FileParts::open(path));
  if (bytes.size() > kMaxPluginFileBytes) return {Code::invalid, "is larger than 512 MiB"};
  return parse(std::move(bytes));
}

Result<ElfFile> ElfFile::parse(std::string bytes) { return parse(FileParts(std::move(bytes))); }

Result<ElfFile> ElfFile::parse(FileParts bytes) {
  ElfFile file(std::move(bytes));
  PB_TRY(file.read_header());
  PB_TRY(file.read_sections());
  file.read_segments();
  file.read_dynamic();
  return Result<ElfFile>(std::move(file));
}

std::string_view ElfFile::linked(const Section& section) const {
  if (section.link >= sections_.size()) return {};
  return part(sections_[section.link].offset, sections_[section.link].size);
}

Status ElfFile::read_header() {
  if (part(0, SELFMAG) != ELFMAG)
    return bad("is not a shared object; give the .so that patchbay_add_plugin built");
  const auto head = part(0, sizeof(Elf64_Ehdr));
  if (head.empty()) return bad(kNotWhole);
  const auto header = load<Elf64_Ehdr>(head);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kMachine) {
    return bad("is built for " + machine_name(header.e_machine) + ", this machine is " +
               machine_name(kMachine) + "; build it for this machine");
  }
  if (header.e_type != ET_DYN) return bad("is not a shared object; link it with patchbay_add_plugin");
  return {};
}

Status ElfFile::read_sections() {
  const auto header = load<Elf64_Ehdr>(part(0, sizeof(Elf64_Ehdr)));
  if (header.e_shoff == 0 || header.e_shnum == 0)
    return bad("has no section table, so its manifest cannot be found; strip it with `strip`, not further");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > kMaxElfSections)
    return bad("has an odd section table; build it again");
  const auto table = part(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (table.empty()) return bad(kNotWhole);
  if (header.e_shstrndx >= header.e_shnum) return bad("has an odd section table; build it again");
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

void ElfFile::read_segments() {
  const auto header = load<Elf64_Ehdr>(part(0, sizeof(Elf64_Ehdr)));
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxElfSegments) return;
  auto rest = part(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  for (; rest.size() >= sizeof(Elf64_Phdr); rest.remove_prefix(sizeof(Elf64_Phdr))) {
    const auto segment = load<Elf64_Phdr>(rest);
    if (segment.p_type == PT_LOAD) segments_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
    if (segment.p_type == PT_GNU_STACK) executable_stack_ = (segment.p_flags & PF_X) != 0;
  }
}

void ElfFile::read_dynamic() {
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNAMIC) continue;
    const auto names = linked(section);
    auto rest = part(section.offset, section.size);
    for (; rest.size() >= sizeof(Elf64_Dyn); rest.remove_prefix(sizeof(Elf64_Dyn))) {
      const auto entry = load<Elf64_Dyn>(rest);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) needed_.emplace_back(string_at(names, entry.d_un.d_val));
      if (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && run_path_.empty()))
        run_path_ = string_at(names, entry.d_un.d_val);
    }
  }
}

std::vector<ElfFile::Symbol> ElfFile::exported() const { return symbols(Symbols::exported); }
std::vector<ElfFile::Symbol> ElfFile::undefined() const { return symbols(Symbols::undefined); }

std::vector<ElfFile::Symbol> ElfFile::symbols(Symbols which) const {
  std::vector<Symbol> found;
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNSYM) continue;
    const auto names = linked(section);
    auto rest = part(section.offset, section.size);
    for (; rest.size() >= sizeof(Elf64_Sym); rest.remove_prefix(sizeof(Elf64_Sym))) {
      const auto symbol = load<Elf64_Sym>(rest);
      const auto name = string_at(names, symbol.st_name);
      const auto binding = ELF64_ST_BIND(symbol.st_info);
      if (name.empty() || binding == STB_LOCAL) continue;
      if (symbol.st_shndx == SHN_UNDEF) {
        if (which == Symbols::undefined && binding != STB_WEAK) found.push_back({name, 0, 0});
      } else if (symbol.st_shndx != SHN_ABS && ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT) {
        if (which == Symbols::exported) found.push_back({name, symbol.st_value, symbol.st_size});
      }
    }
  }
  return found;
}

std::string_view ElfFile::at(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments_) {
    if (address < segment.address || address - segment.address > segment.size ||
        size > segment.size - (address - segment.address) ||
        segment.offset > UINT64_MAX - (address - segment.address))
      continue;
    return part(segment.offset + (address - segment.address), size);
  }
  return {};
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
