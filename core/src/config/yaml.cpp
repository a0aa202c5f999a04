#include "config/yaml.h"

#include <patchbay/utf8.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "config/limits.h"
#include "json/parse.h"
#include "json/printable_text.h"

namespace patchbay::core::config {
namespace {

struct Rejection {
  Mark mark;
  std::string text;
  std::string hint;
};

Mark to_mark(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1, {}}; }

struct TreeSize {
  size_t nodes = 1;
  size_t bytes = 0;
};

TreeSize measure(const Value& value) {
  TreeSize sum{1, value.text.size()};
  const auto add = [&](const Value& part) {
    const TreeSize size = measure(part);
    sum.nodes += size.nodes;
    sum.bytes += size.bytes;
  };
  for (const Value& item : value.items) add(item);
  for (const Entry& entry : value.entries) add(entry.value);
  return sum;
}

// Builds the tree from yaml-cpp's events. Throws Rejection, which passes through the parser.
class TreeBuilder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({Value::Kind::null, to_mark(mark), {}, {}, {}}, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_tag(tag, "tag:yaml.org,2002:str", mark);
    add({tag == "?" ? Value::Kind::plain : Value::Kind::quoted, to_mark(mark), text, {}, {}}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Rejection{to_mark(mark), "an alias is inside the node that it names", {}};
    const TreeSize size = measure(found->second);
    count(size, to_mark(mark));
    Value copy = found->second;
    copy.mark = to_mark(mark);
    place(std::move(copy));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(tag, "tag:yaml.org,2002:seq", mark);
    open({Value::Kind::list, to_mark(mark), {}, {}, {}}, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(tag, "tag:yaml.org,2002:map", mark);
    open({Value::Kind::map, to_mark(mark), {}, {}, {}}, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  Value take() { return std::move(root_); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
    std::optional<Entry> entry;  // the key whose value is next
    std::set<std::string> keys;
  };

  static void check_tag(const std::string& tag, std::string_view known, const YAML::Mark& mark) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != known)
      throw Rejection{to_mark(mark), "a tag is not allowed", "leave out the word that starts with !"};
  }
  void count(const TreeSize& size, const Mark& mark) {
    nodes_ += size.nodes;
    bytes_ += size.bytes;
    if (nodes_ > kMaxNodes || bytes_ > kMaxTextBytes)
      throw Rejection{mark, "the file holds more than " + std::to_string(kMaxNodes) + " values", {}};
  }
  void open(Value value, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDepth) throw Rejection{value.mark, "the file is nested too deeply", {}};
    if (!open_.empty() && open_.back().value.kind == Value::Kind::map && !open_.back().entry)
      throw Rejection{value.mark, "a key must be a word", {}};
    count({1, 0}, value.mark);
    open_.push_back({std::move(value), anchor, {}, {}});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor) anchors_[done.anchor] = done.value;
    place(std::move(done.value));
  }
  void add(Value value, YAML::anchor_t anchor) {
    count({1, value.text.size()}, value.mark);
    if (anchor) anchors_[anchor] = value;
    place(std::move(value));
  }
  void place(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Value::Kind::list) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.entry) {
      key(parent, std::move(value));
    } else {
      parent.entry->value = std::move(value);
      parent.value.entries.push_back(*std::move(parent.entry));
      parent.entry.reset();
    }
  }
  static void key(Open& parent, Value value) {
    if (value.kind != Value::Kind::plain && value.kind != Value::Kind::quoted)
      throw Rejection{value.mark, "a key must be a word", {}};
    if (!parent.keys.insert(value.text).second)
      throw Rejection{value.mark,
                      "the key " + json::printable(value.text, kMaxNameInProblem) + " appears twice",
                      "remove one of the two"};
    parent.entry = Entry{std::move(value.text), value.mark, {}};
  }

  Value root_{Value::Kind::map, {1, 1, {}}, {}, {}, {}};
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  size_t nodes_ = 0;
  size_t bytes_ = 0;
};

Mark mark_at(std::string_view text, size_t offset) {
  const json::Position where = json::position(text, offset);
  return {static_cast<int>(where.line), static_cast<int>(where.column), {}};
}

void check_characters(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    const bool control = (code < 0x20 && code != '\n' && code != '\r' && code != '\t') || code == 0x7F;
    if (code == kInvalidCodePoint || control)
      throw Rejection{mark_at(text, start), "a byte that is not text", "save the file as UTF-8"};
  }
}

void check_indentation(std::string_view text) {
  for (size_t line = 0; line < text.size();) {
    const size_t end = std::min(text.find('\n', line), text.size());
    const size_t first = std::min(text.find_first_not_of(" \t", line), end);
    const size_t tab = text.find('\t', line);
    if (tab < first && first < end && text[first] != '\r')
      throw Rejection{mark_at(text, tab), "the indentation contains a tab", "write spaces"};
    line = end + 1;
  }
}

Value parse(std::string_view text) {
  if (text.size() > kMaxFileBytes) throw Rejection{{1, 1, {}}, "the file is longer than 1 MiB", {}};
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  check_characters(text);
  check_indentation(text);
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder tree;
  if (!parser.HandleNextDocument(tree)) return tree.take();
  TreeBuilder next;
  if (parser.HandleNextDocument(next))
    throw Rejection{next.take().mark, "a second document begins", "keep one"};
  return tree.take();
}

}  // namespace

std::optional<Value> read_yaml(std::string_view text, Problem& problem) {
  try {
    Value value = parse(text);
    if (value.kind == Value::Kind::null) value.kind = Value::Kind::map;
    return value;
  } catch (const Rejection& rejection) {
    problem = {{}, rejection.mark.line, rejection.mark.column, {}, rejection.text, rejection.hint};
  } catch (const YAML::Exception& wrong) {
    const Mark mark = wrong.mark.is_null() ? Mark{1, 1, {}} : to_mark(wrong.mark);
    problem = {{},
               mark.line,
               mark.column,
               {},
               "not YAML: " + json::printable(wrong.msg, kMaxParserMessageCharacters),
               {}};
  } catch (const std::exception&) {
    problem = {{}, 1, 1, {}, "not YAML", {}};
  }
  return std::nullopt;
}

}  // namespace patchbay::core::config
