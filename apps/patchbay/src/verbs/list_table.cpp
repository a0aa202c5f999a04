#include "list_table.h"

#include <algorithm>

#include "terminal_text.h"

namespace patchbay::app {
namespace {

using core::json::Node;
using core::json::Type;

std::string shown_member(const Node& object, const std::string& name) {
  const Node* node = object.find(name);
  if (node == nullptr || !node->is(Type::array)) return member(object, name);
  std::string out;
  for (uint32_t i = 0; i < node->size(); ++i)
    out += (i == 0 ? "" : ",") + harmless(node->element(i)->string());
  return out;
}

}  // namespace

std::string list_table(const Node& list, const Columns& columns, const char* array) {
  std::vector<std::string> headings;
  for (const auto& [heading, name] : columns) headings.push_back(heading);
  std::vector<std::vector<std::string>> rows;
  const Node* data = list.find(array);
  for (uint32_t i = 0; data != nullptr && i < data->size(); ++i) {
    std::vector<std::string> row;
    for (const auto& [heading, name] : columns) row.push_back(shown_member(*data->element(i), name));
    rows.push_back(std::move(row));
  }
  return table(headings, rows);
}

std::string record_text(const Node& record) {
  size_t width = 0;
  for (uint32_t i = 0; i < record.size(); ++i) width = std::max(width, record.member(i)->key.size());
  std::string out;
  for (uint32_t i = 0; i < record.size(); ++i) {
    const std::string name(record.member(i)->key);
    out += harmless(name) + std::string(width - name.size() + 2, ' ') + shown_member(record, name) + "\n";
  }
  return out;
}

}  // namespace patchbay::app
