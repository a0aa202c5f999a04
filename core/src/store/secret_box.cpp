#include "store/secret_box.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <patchbay/descriptor.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "store/limits.h"

namespace patchbay::core {
namespace {

constexpr size_t kKeySize = 32, kNonceSize = 12, kTagSize = 16;
constexpr unsigned char kVersion = 1;
constexpr size_t kHeaderSize = 1 + 4 + kNonceSize;
constexpr size_t kMaxBytes = size_t{1} << 30;  // because OpenSSL counts in int

Error file_error(const std::filesystem::path& path, const char* what) {
  return {Code::unavailable,
          std::string("cannot ") + what + " key file " + path.string() + ": " + std::strerror(errno)};
}

// Writes a draft and links it into place, so that a crash leaves a whole key or none, and an existing key is
// never replaced.
Status create_key(const std::filesystem::path& path, bool durable) {
  std::array<unsigned char, kKeySize> key;
  if (RAND_bytes(key.data(), kKeySize) != 1) return {Code::unavailable, "no randomness for a sealing key"};
  std::filesystem::path draft = path.string() + ".new";
  ::unlink(draft.c_str());
  const Descriptor fd(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return file_error(path, "create");
  bool written = ::write(fd.get(), key.data(), kKeySize) == static_cast<ssize_t>(kKeySize) &&
                 (!durable || ::fsync(fd.get()) == 0);
  OPENSSL_cleanse(key.data(), kKeySize);
  bool linked = written && ::link(draft.c_str(), path.c_str()) == 0;
  Error error = file_error(path, "create");
  ::unlink(draft.c_str());
  if (!linked) return error;
  if (!durable) return {};
  std::filesystem::path folder = path.parent_path().empty() ? "." : path.parent_path();
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0) return file_error(path, "sync");
  return {};
}

Result<std::string> read_key_file(const std::filesystem::path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return file_error(path, "open");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return file_error(path, "inspect");
  if (info.st_mode & 077)
    return {Code::denied, "other users may read key file " + path.string() + ": chmod 600 it"};
  std::string raw(kKeySize * kMaxSealingKeys + 1, '\0');
  ssize_t size = ::read(fd.get(), raw.data(), raw.size());
  if (size < 0) return file_error(path, "read");
  raw.resize(static_cast<size_t>(size));
  if (raw.empty() || raw.size() % kKeySize != 0 || raw.size() > kKeySize * kMaxSealingKeys) {
    return {Code::invalid, "key file " + path.string() + " does not hold whole keys of 32 bytes"};
  }
  return raw;
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

// Authenticates header and context, so that neither can be exchanged.
bool authenticate(EVP_CIPHER_CTX* cipher, std::string_view header, std::string_view context, bool sealing) {
  int size = 0;
  auto update = sealing ? EVP_EncryptUpdate : EVP_DecryptUpdate;
  return update(cipher, nullptr, &size, bytes(header), static_cast<int>(header.size())) == 1 &&
         update(cipher, nullptr, &size, bytes(context), static_cast<int>(context.size())) == 1;
}

}  // namespace

Result<SecretBox> SecretBox::open(const std::filesystem::path& key_file, bool durable) {
  if (::access(key_file.c_str(), F_OK) != 0 && errno == ENOENT) PB_TRY(create_key(key_file, durable));
  PB_TRY_VALUE(std::string raw, read_key_file(key_file));
  SecretBox secret_box;
  for (size_t at = 0; at < raw.size(); at += kKeySize) {
    Key key;
    std::memcpy(key.bytes.data(), raw.data() + at, kKeySize);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(key.bytes.data(), kKeySize, digest);
    std::copy_n(digest, key.id.size(), key.id.begin());
    secret_box.keys_.push_back(key);
    OPENSSL_cleanse(key.bytes.data(), kKeySize);
  }
  OPENSSL_cleanse(raw.data(), raw.size());
  return secret_box;
}

SecretBox::~SecretBox() {
  for (Key& key : keys_) OPENSSL_cleanse(key.bytes.data(), kKeySize);
}

Result<std::string> SecretBox::seal(std::string_view plain, std::string_view context) const {
  if (plain.size() > kMaxBytes || context.size() > kMaxBytes)
    return {Code::exhausted, "too long to be sealed"};
  const Key& key = keys_.front();
  std::string sealed(kHeaderSize + plain.size() + kTagSize, '\0');
  unsigned char* out = bytes(sealed);
  out[0] = kVersion;
  std::copy(key.id.begin(), key.id.end(), out + 1);
  unsigned char* nonce = out + 1 + key.id.size();
  if (RAND_bytes(nonce, kNonceSize) != 1) return {Code::unavailable, "no randomness to seal with"};
  Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  bool good =
      cipher && EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(), nonce) == 1 &&
      authenticate(cipher.get(), std::string_view(sealed).substr(0, kHeaderSize), context, true) &&
      EVP_EncryptUpdate(cipher.get(), out + kHeaderSize, &size, bytes(plain),
                        static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), out + kHeaderSize + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagSize, out + sealed.size() - kTagSize) == 1;
  if (!good) return {Code::failed, "sealing failed"};
  return sealed;
}

Result<std::string> SecretBox::unseal(std::string_view sealed, std::string_view context) const {
  if (sealed.size() > kMaxBytes || context.size() > kMaxBytes)
    return {Code::invalid, "not sealed by this store"};
  if (sealed.size() < kHeaderSize + kTagSize || static_cast<unsigned char>(sealed[0]) != kVersion) {
    return {Code::invalid, "not sealed by this store"};
  }
  auto key = std::find_if(keys_.begin(), keys_.end(), [&](const Key& one) {
    return std::equal(one.id.begin(), one.id.end(), bytes(sealed) + 1);
  });
  if (key == keys_.end()) return {Code::not_found, "sealed with a key that the key file does not hold"};
  std::string_view body = sealed.substr(kHeaderSize, sealed.size() - kHeaderSize - kTagSize);
  std::string tag(sealed.substr(sealed.size() - kTagSize));
  std::string plain(body.size() + 1, '\0');
  Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0, rest = 0;
  const unsigned char* nonce = bytes(sealed) + 1 + key->id.size();
  bool good =
      cipher && EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key->bytes.data(), nonce) == 1 &&
      authenticate(cipher.get(), sealed.substr(0, kHeaderSize), context, false) &&
      EVP_DecryptUpdate(cipher.get(), bytes(plain), &size, bytes(body), static_cast<int>(body.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagSize, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes(plain) + size, &rest) == 1;
  if (!good) {
    OPENSSL_cleanse(plain.data(), plain.size());
    return {Code::denied, "the sealed bytes were altered, or the context differs"};
  }
  plain.resize(body.size());
  return plain;
}

bool SecretBox::is_current(std::string_view sealed) const {
  const KeyId& id = keys_.front().id;
  return sealed.size() > kHeaderSize && std::equal(id.begin(), id.end(), bytes(sealed) + 1);
}

}  // namespace patchbay::core
