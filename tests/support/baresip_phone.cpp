#include "support/baresip_phone.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/free_ports.h"

namespace patchbay::test {
namespace {

constexpr size_t kWavHeaderBytes = 44;
constexpr int kStartAttempts = 5;

std::string config(uint16_t port, uint16_t rtp_port, const std::string& wav, const std::string& folder,
                   const std::string& more) {
  return "sip_listen 127.0.0.1:" + std::to_string(port) +
         "\ncall_max_calls 4\ncall_local_timeout 30\n"
         "audio_player aufile," +
         folder + "/heard.wav\naudio_source " +
         (wav.empty() ? "aufile," + folder + "/silence.wav" : "aufile," + wav) + "\naudio_alert aufile," +
         folder +
         "/alert.wav\nausrc_srate 8000\nauplay_srate 8000\nausrc_channels 1\nauplay_channels 1\n"
         "audio_txmode poll\nrtp_ports " +
         std::to_string(rtp_port) + "-" + std::to_string(rtp_port + 40) +
         "\nmodule_path /usr/lib/baresip/modules\nmodule g711.so\n"
         "module g722.so\nmodule opus.so\nmodule aufile.so\nmodule "
         "sndfile.so\n" +
         more + "module_tmp uuid.so\nmodule_tmp account.so\nmodule_app menu.so\nsnd_path " + folder + "\n";
}

std::string account(const Baresip::Options& options) {
  if (options.registrar.empty()) return "<sip:" + options.number + "@127.0.0.1>;regint=0";
  return "<sip:" + options.number + "@" + options.domain + ">;auth_user=" + options.number +
         ";auth_pass=" + options.password + ";outbound=\"sip:" + options.registrar + "\";regint=60";
}

Status write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) return {Code::failed, "cannot write " + path};
  return {};
}

void put_u32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

}  // namespace

Status write_wav(const std::string& path, const std::vector<int16_t>& samples, uint32_t rate_hz) {
  const auto bytes = static_cast<uint32_t>(samples.size() * 2);
  std::string out = "RIFF";
  put_u32(out, 36 + bytes);
  out += "WAVEfmt ";
  put_u32(out, 16);
  put_u32(out, 0x00010001);  // PCM, mono
  put_u32(out, rate_hz);
  put_u32(out, rate_hz * 2);
  put_u32(out, 0x00100002);  // 2 bytes a frame, 16 bits a sample
  out += "data";
  put_u32(out, bytes);
  out.append(reinterpret_cast<const char*>(samples.data()), bytes);
  return write_text(path, out);
}

std::vector<int16_t> read_wav(const std::string& path) {
  const std::string text = read_text(path);
  if (text.size() <= kWavHeaderBytes) return {};
  std::vector<int16_t> samples((text.size() - kWavHeaderBytes) / 2);
  std::memcpy(samples.data(), text.data() + kWavHeaderBytes, samples.size() * 2);
  return samples;
}

Result<Baresip> Baresip::start(const Options& options) {
  // It also uses the next port, for TLS.
  for (int attempt = 1;; ++attempt) {
    auto phone = try_start(options);
    if (phone || attempt == kStartAttempts) return phone;
  }
}

Result<Baresip> Baresip::try_start(const Options& options) {
  auto folder = std::make_unique<TempFolder>();
  const uint16_t port = free_port();
  const uint16_t rtp_port = static_cast<uint16_t>(free_port() & ~1);
  const bool encrypts = !options.encryption.empty();
  const std::string encryption_modules = encrypts ? "module srtp.so\nmodule dtls_srtp.so\n" : "";
  PB_TRY(write_wav(folder->file("silence.wav"), std::vector<int16_t>(8000 * 30), 8000));
  PB_TRY(write_text(folder->file("config"),
                    config(port, rtp_port, options.play_wav, folder->path(), encryption_modules)));
  PB_TRY(write_text(folder->file("accounts"),
                    account(options) + ";answermode=auto;audio_codecs=" + options.codecs +
                        (encrypts ? ";mediaenc=" + options.encryption : "") + "\n"));
  PB_TRY(write_text(folder->file("contacts"), ""));
  std::vector<std::string> command{"baresip", "-f", folder->path()};
  if (!options.dial.empty()) command.insert(command.end(), {"-e", "/dial " + options.dial});
  auto child = Child::spawn(command, folder->path(), folder->file("output"));
  if (!child) return std::move(child).error();
  bool ready = false;
  for (int i = 0; i < 1200 && !ready && !child->wait(std::chrono::milliseconds(25)); ++i)
    ready = read_text(folder->file("output")).find("baresip is ready") != std::string::npos;
  if (!ready) return {Code::timeout, "baresip does not listen: " + read_text(folder->file("output"))};
  return Baresip(std::move(folder), *std::move(child), port);
}

std::string Baresip::recording() const {
  for (const auto& entry : std::filesystem::directory_iterator(folder_->path())) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("dump-", 0) == 0 && name.find("-dec.wav") != std::string::npos)
      return entry.path().string();
  }
  return {};
}

std::vector<int16_t> Baresip::heard() {
  child_.stop();
  const std::string file = recording();
  return file.empty() ? std::vector<int16_t>() : read_wav(file);
}

size_t Baresip::heard_samples() const {
  const std::string file = recording();
  std::error_code error;
  const auto bytes = file.empty() ? 0 : std::filesystem::file_size(file, error);
  return error || bytes < kWavHeaderBytes ? 0 : static_cast<size_t>(bytes - kWavHeaderBytes) / 2;
}

std::string Baresip::output() const { return read_text(folder_->file("output")); }

}  // namespace patchbay::test
