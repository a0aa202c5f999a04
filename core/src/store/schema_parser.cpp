#include "store/schema_parser.h"

#include <openssl/sha.h>
#include <patchbay/hex.h>
#include <patchbay/text.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace patchbay::core {
namespace {

std::string hex_sha256(std::string_view data) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest);
  return to_hex({reinterpret_cast<const char*>(digest), sizeof digest});
}

// Returns the rest of a line that begins with `mark`, e.g. "-- name:".
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  if (line.substr(0, mark.size()) != mark) return std::nullopt;
  return trim(line.substr(mark.size()));
}

// Allows the statements that both dialects have. VACUUM and the like are refused, as they affect all owners.
bool is_plain_statement(std::string_view sql) {
  std::string word;
  for (char c : sql.substr(0, sql.find_first_of(" ("))) word += static_cast<char>(c & ~0x20);  // upper case
  return word == "SELECT" || word == "INSERT" || word == "UPDATE" || word == "DELETE" || word == "WITH";
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

class SchemaParser {
 public:
  Status line(std::string_view raw) {
    ++line_number_;
    std::string_view text = trim(raw);
    if (auto rest = after(text, "-- migration:")) return start_migration(*rest);
    if (auto rest = after(text, "-- name:")) return start_statement(*rest);
    if (section_ == Section::statement && text == "-- read") schema_.statements.back().access = Access::read;
    if (section_ == Section::statement && text == "-- write")
      schema_.statements.back().access = Access::write;
    if (section_ == Section::statement && text == "-- notify") schema_.statements.back().notifies = true;
    if (section_ == Section::none && !sql_plain(text).empty()) {
      return wrong(line_number_, "SQL before the first '-- migration:' or '-- name:'");
    }
    body_.append(raw).append("\n");
    return {};
  }

  Result<SchemaText> finish() {
    PB_TRY(close_section());
    return std::move(schema_);
  }

 private:
  using Access = SchemaText::Access;
  enum class Section { none, migration, statement };

  static Error wrong(int line, const std::string& what) {
    return {Code::invalid, "line " + std::to_string(line) + ": " + what};
  }

  Status start_migration(std::string_view text) {
    PB_TRY(close_section());
    section_ = Section::migration;
    int number = 0;
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    int wanted = static_cast<int>(schema_.migrations.size()) + 1;
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || number != wanted) {
      return wrong(line_number_, "expected '-- migration: " + std::to_string(wanted) + "'");
    }
    schema_.migrations.push_back({number, line_number_, {}, {}});
    return {};
  }

  Status start_statement(std::string_view name) {
    PB_TRY(close_section());
    section_ = Section::statement;
    if (!is_name(name))
      return wrong(line_number_, "a statement's name consists of a-z, 0-9, '-', '_' and '.'");
    for (const auto& other : schema_.statements) {
      if (other.name == name)
        return wrong(line_number_, "statement '" + std::string(name) + "' exists already");
    }
    schema_.statements.push_back({std::string(name), line_number_, {}, 0, Access::infer});
    return {};
  }

  Status close_section() {
    std::string plain = sql_plain(body_);
    std::string body = std::exchange(body_, {});
    if (section_ == Section::none) return {};
    bool migration = section_ == Section::migration;
    int line = migration ? schema_.migrations.back().line : schema_.statements.back().line;
    if (plain.empty()) return wrong(line, "the section is empty");
    if (auto expanded = expand_macros(plain, Dialect::sqlite); !expanded)
      return wrong(line, expanded.error().text);
    if (migration) {
      schema_.migrations.back().hash = hex_sha256(plain);
      schema_.migrations.back().sql = std::move(body);
      return {};
    }
    if (!is_plain_statement(plain))
      return wrong(
          line, "'" + schema_.statements.back().name + "' is not a SELECT, INSERT, UPDATE, DELETE or WITH");
    auto parameters = sql_parameters(plain);
    if (!parameters)
      return wrong(line, "'" + schema_.statements.back().name + "' " + parameters.error().text);
    schema_.statements.back().parameters = *parameters;
    schema_.statements.back().sql = std::move(plain);
    return {};
  }

  SchemaText schema_;
  Section section_ = Section::none;
  std::string body_;
  int line_number_ = 0;
};

}  // namespace

Result<SchemaText> parse_schema(std::string_view text) {
  SchemaParser parser;
  while (!text.empty()) {
    size_t end = text.find('\n');
    PB_TRY(parser.line(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parser.finish();
}

std::string table_prefix(std::string_view owner) {
  std::string prefix(owner);
  std::replace(prefix.begin(), prefix.end(), '-', '_');
  return prefix + "_";
}

}  // namespace patchbay::core
