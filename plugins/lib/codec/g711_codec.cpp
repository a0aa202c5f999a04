#include "codec/codec_classes.h"
#include "codec/concealment.h"

namespace patchbay::lib {
namespace {

constexpr uint32_t kG711RateHz = 8000;

class G711Encoder final : public Encoder {
 public:
  explicit G711Encoder(G711 law) : law_(law) {}
  size_t encode(const int16_t* pcm, size_t samples, uint8_t* out, size_t capacity) noexcept override {
    if (samples > capacity) return 0;
    g711_encode(law_, pcm, samples, out);
    return samples;
  }

 private:
  const G711 law_;
};

class G711Decoder final : public Decoder {
 public:
  explicit G711Decoder(G711 law) : law_(law) {}
  size_t decode(const uint8_t* payload, size_t bytes, int16_t* pcm, size_t capacity) noexcept override {
    if (bytes > capacity) return 0;
    g711_decode(law_, payload, bytes, pcm);
    concealment_.received(pcm, bytes);
    return bytes;
  }
  void conceal(int16_t* pcm, size_t samples, const uint8_t*, size_t) noexcept override {
    concealment_.conceal(pcm, samples);
  }

 private:
  const G711 law_;
  Concealment concealment_{kG711RateHz};
};

}  // namespace

std::unique_ptr<Encoder> make_g711_encoder(G711 law) { return std::make_unique<G711Encoder>(law); }
std::unique_ptr<Decoder> make_g711_decoder(G711 law) { return std::make_unique<G711Decoder>(law); }

}  // namespace patchbay::lib
