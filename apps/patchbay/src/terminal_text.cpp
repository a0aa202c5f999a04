#include "terminal_text.h"

#include <algorithm>

#include "json/printable_text.h"
#include "json/writer.h"

namespace patchbay::app {

using core::json::Node;
using core::json::Type;

std::string harmless(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

std::string member(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  if (node == nullptr || node->is(Type::null)) return {};
  return node->is(Type::string) ? harmless(node->string()) : core::json::write(*node);
}

std::string table(const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "none\n";
  std::vector<size_t> widths(headings.size());
  const auto widen = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], core::json::code_points(row[i]));
  };
  widen(headings);
  for (const auto& row : rows) widen(row);
  std::string out;
  const auto print = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - core::json::code_points(row[i]) + 2, ' ');
    }
    out += '\n';
  };
  print(headings);
  for (const auto& row : rows) print(row);
  return out;
}

}  // namespace patchbay::app
