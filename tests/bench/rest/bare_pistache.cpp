// bench-bare-pistache PORT FILE: Pistache with one thread that answers each request with the file's bytes,
// read anew once they have changed. The floor of a REST request on that library.
#include <pistache/endpoint.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

class SendFile final : public Pistache::Http::Handler {
 public:
  HTTP_PROTOTYPE(SendFile)
  explicit SendFile(std::string path) : path_(std::move(path)) {}

  void onRequest(const Pistache::Http::Request&, Pistache::Http::ResponseWriter answer) override {
    if (body_.empty()) {
      std::ifstream file(path_);
      body_.assign(std::istreambuf_iterator<char>(file), {});
    }
    answer.headers().add<Pistache::Http::Header::ContentType>(MIME(Application, Json));
    answer.send(Pistache::Http::Code::Ok, body_);
  }

 private:
  const std::string path_;
  std::string body_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const auto port = static_cast<uint16_t>(std::atoi(words[1]));
  Pistache::Http::Endpoint endpoint(Pistache::Address(Pistache::Ipv4::loopback(), Pistache::Port(port)));
  endpoint.init(Pistache::Http::Endpoint::options().threads(1).flags(Pistache::Tcp::Options::ReuseAddr));
  endpoint.setHandler(std::make_shared<SendFile>(words[2]));
  endpoint.serve();
}
