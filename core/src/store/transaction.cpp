#include "store/transaction.h"

namespace patchbay::core {
namespace {

struct TextSize {
  size_t operator()(const ExecOp& op) const {
    size_t bytes = 0;
    for (const Value& value : op.values) bytes += sizeof value + value.data.size();
    return bytes;
  }
  size_t operator()(const EmitOp& op) const {
    return op.topic.size() + op.tenant.size() + op.subject.size() + op.correlation.size() +
           op.payload.size() + op.unique_key.size();
  }
  size_t operator()(const JobAddOp& op) const {
    return op.kind.size() + op.tenant.size() + op.key.size() + op.body.size();
  }
  size_t operator()(const JobCancelOp& op) const { return op.kind.size() + op.key.size(); }
  size_t operator()(const AckOp& op) const { return op.consumer.size(); }
  template <class Other>
  size_t operator()(const Other&) const {
    return 0;
  }
};

}  // namespace

size_t byte_size(const Op& op) { return sizeof op + std::visit(TextSize{}, op); }

size_t byte_size(const Transaction& transaction) {
  size_t bytes = 0;
  for (const Op& op : transaction.ops) bytes += byte_size(op);
  return bytes;
}

}  // namespace patchbay::core
