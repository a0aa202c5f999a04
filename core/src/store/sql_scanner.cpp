#include "store/sql_scanner.h"

#include <patchbay/text.h>

#include <array>
#include <cctype>

namespace patchbay::core {
namespace {

size_t end_of_piece(std::string_view sql, size_t begin, SqlPiece::Kind& kind) {
  auto until = [&](std::string_view mark, size_t from) {
    size_t at = sql.find(mark, from);
    return at == std::string_view::npos ? sql.size() : at + mark.size();
  };
  char c = sql[begin];
  if (c == '\'' || c == '"') {
    kind = SqlPiece::Kind::quoted;  // a doubled quote begins the next piece
    return until(std::string_view(&c, 1), begin + 1);
  }
  kind = SqlPiece::Kind::comment;
  if (sql.substr(begin, 2) == "--") return until("\n", begin);
  if (sql.substr(begin, 2) == "/*") return until("*/", begin + 2);
  kind = SqlPiece::Kind::code;
  size_t end = begin + 1;
  while (end < sql.size()) {
    std::string_view two = sql.substr(end, 2);
    if (sql[end] == '\'' || sql[end] == '"' || two == "--" || two == "/*") break;
    ++end;
  }
  return end;
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Collects the number after each '$' of a code piece. Returns false when a '$' has none.
bool collect_parameters(std::string_view code, std::vector<int>& found) {
  for (size_t at = code.find('$'); at != std::string_view::npos; at = code.find('$', at)) {
    int number = 0;
    size_t digits = 0;
    for (++at; at < code.size() && is_digit(code[at]) && digits < 4; ++at, ++digits) {
      number = number * 10 + (code[at] - '0');
    }
    if (number == 0) return false;
    found.push_back(number);
  }
  return true;
}

}  // namespace

std::vector<SqlPiece> sql_pieces(std::string_view sql) {
  std::vector<SqlPiece> pieces;
  for (size_t begin = 0; begin < sql.size();) {
    SqlPiece piece{};
    size_t end = end_of_piece(sql, begin, piece.kind);
    piece.text = sql.substr(begin, end - begin);
    pieces.push_back(piece);
    begin = end;
  }
  return pieces;
}

std::string sql_plain(std::string_view sql) {
  std::string plain;
  auto blank = [&] {
    if (!plain.empty() && plain.back() != ' ') plain += ' ';
  };
  for (const SqlPiece& piece : sql_pieces(sql)) {
    if (piece.kind == SqlPiece::Kind::quoted) {
      plain += piece.text;
    } else if (piece.kind == SqlPiece::Kind::comment) {
      blank();
    } else {
      for (char c : piece.text) is_space(c) ? blank() : plain.push_back(c);
    }
  }
  while (!plain.empty() && (plain.back() == ' ' || plain.back() == ';')) plain.pop_back();
  return plain;
}

Result<int> sql_parameters(std::string_view sql) {
  std::vector<int> found;
  for (const SqlPiece& piece : sql_pieces(sql)) {
    if (piece.kind != SqlPiece::Kind::code) continue;
    if (piece.text.find(';') != std::string_view::npos)
      return {Code::invalid, "holds more than one statement"};
    if (piece.text.find('?') != std::string_view::npos || !collect_parameters(piece.text, found)) {
      return {Code::invalid, "parameters are written $1, $2, ..."};
    }
  }
  int highest = 0;
  for (int number : found) highest = std::max(highest, number);
  for (int wanted = 1; wanted <= highest; ++wanted) {
    bool used = false;
    for (int number : found) used = used || number == wanted;
    if (!used)
      return {Code::invalid, "uses $" + std::to_string(highest) + " but not $" + std::to_string(wanted)};
  }
  return highest;
}

Result<std::string> expand_macros(std::string_view sql, Dialect dialect, std::string_view now_ms) {
  struct Macro {
    std::string_view name, sqlite, postgres;
  };
  static constexpr std::string_view kPostgresMs =
      "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
  static constexpr std::array<Macro, 6> kMacros = {{
      {"BYTES", "BLOB", "BYTEA"},
      {"ID", "INTEGER", "BIGINT"},
      {"NOW_MS", "patchbay_now_ms()", kPostgresMs},
      {"DATABASE_MS", "patchbay_now_ms()", kPostgresMs},
      {"FOR_UPDATE", "", "FOR UPDATE"},
      {"SKIP_LOCKED", "", "FOR UPDATE SKIP LOCKED"},
  }};
  std::string out;
  for (;;) {
    size_t open = sql.find("{{");
    out += sql.substr(0, open);
    if (open == std::string_view::npos) return out;
    size_t close = sql.find("}}", open);
    if (close == std::string_view::npos) return {Code::invalid, "has {{ without }}"};
    std::string_view name = sql.substr(open + 2, close - open - 2);
    const Macro* macro = nullptr;
    for (const Macro& one : kMacros) macro = one.name == name ? &one : macro;
    if (!macro) return {Code::invalid, "uses the unknown macro {{" + std::string(name) + "}}"};
    if (name == "NOW_MS" && !now_ms.empty())
      out += now_ms;
    else
      out += dialect == Dialect::sqlite ? macro->sqlite : macro->postgres;
    sql.remove_prefix(close + 2);
  }
}

}  // namespace patchbay::core
