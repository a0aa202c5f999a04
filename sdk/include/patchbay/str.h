// Strings, errors and buffers of the boundary in C++.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "abi/base.h"
#include "result.h"

namespace patchbay {

inline pb_str to_abi(std::string_view text) noexcept { return {text.data(), text.size()}; }
inline std::string_view from_abi(pb_str text) noexcept {
  return text.data ? std::string_view{text.data, static_cast<size_t>(text.len)} : std::string_view{};
}

inline pb_err empty_error() noexcept {
  pb_err err{};
  err.size = sizeof(pb_err);
  return err;
}

// Fills `err`, which may be NULL, truncating the text to fit. Returns the code.
inline int32_t write_error(pb_err* err, Code code, std::string_view text) noexcept {
  if (err != nullptr && err->size > offsetof(pb_err, text)) {
    err->code = static_cast<int32_t>(code);
    const size_t room = err->size - offsetof(pb_err, text) - 1;
    const size_t count = std::min(text.size(), room);
    text.copy(err->text, count);  // data() of an empty text may be null
    err->text[count] = '\0';
  }
  return static_cast<int32_t>(code);
}

inline Error read_error(int32_t status, const pb_err* err) {
  std::string text = err != nullptr ? std::string(err->text) : std::string();
  const auto code = static_cast<Code>(status);
  return {code, text.empty() ? std::string(code_name(code)) : std::move(text)};
}

inline Status read_status(int32_t status, const pb_err* err) {
  if (status == PB_OK) return {};
  return read_error(status, err);
}

// Reference-counted bytes. Copies of a Buffer share them.
class Buffer {
 public:
  Buffer() = default;
  static Buffer adopt(pb_buf* buf) noexcept { return Buffer(buf); }  // takes over the caller's reference
  static Buffer share(pb_buf* buf) noexcept {                        // adds a reference
    if (buf != nullptr) buf->ops->retain(buf);
    return Buffer(buf);
  }
  static Buffer copy(std::string_view bytes);  // empty when there is no memory
  // Error: Code::exhausted: there is no memory, or there are 4 GiB or more. For bytes of a peer or a file.
  static Result<Buffer> try_copy(std::string_view bytes);

  Buffer(const Buffer& other) noexcept : Buffer(share(other.buf_)) {}
  Buffer(Buffer&& other) noexcept : buf_(std::exchange(other.buf_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(buf_, other.buf_);
    return *this;
  }
  ~Buffer() {
    if (buf_ != nullptr) buf_->ops->release(buf_);
  }

  std::string_view view() const noexcept {
    return buf_ != nullptr ? std::string_view{reinterpret_cast<const char*>(buf_->data), buf_->len}
                           : std::string_view{};
  }
  size_t size() const noexcept { return buf_ != nullptr ? buf_->len : 0; }
  pb_buf* get() const noexcept { return buf_; }

 private:
  explicit Buffer(pb_buf* buf) noexcept : buf_(buf) {}
  pb_buf* buf_ = nullptr;
};

}  // namespace patchbay
