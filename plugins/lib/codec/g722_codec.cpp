#include "codec/codec_classes.h"
#include "codec/concealment.h"
#include "codec/g722.h"

namespace patchbay::lib {
namespace {

constexpr uint32_t kG722RateHz = 16000;

class G722Encoder final : public Encoder {
 public:
  size_t encode(const int16_t* pcm, size_t samples, uint8_t* out, size_t capacity) noexcept override {
    if (samples / 2 > capacity || samples % 2 != 0) return 0;
    codes_.encode(pcm, samples, out);
    return samples / 2;
  }

 private:
  G722Codes codes_;
};

class G722Decoder final : public Decoder {
 public:
  size_t decode(const uint8_t* payload, size_t bytes, int16_t* pcm, size_t capacity) noexcept override {
    if (bytes * 2 > capacity) return 0;
    codes_.decode(payload, bytes, pcm);
    concealment_.received(pcm, bytes * 2);
    return bytes * 2;
  }
  void conceal(int16_t* pcm, size_t samples, const uint8_t*, size_t) noexcept override {
    concealment_.conceal(pcm, samples);
  }

 private:
  G722Codes codes_;
  Concealment concealment_{kG722RateHz};
};

}  // namespace

std::unique_ptr<Encoder> make_g722_encoder() { return std::make_unique<G722Encoder>(); }
std::unique_ptr<Decoder> make_g722_decoder() { return std::make_unique<G722Decoder>(); }

}  // namespace patchbay::lib
