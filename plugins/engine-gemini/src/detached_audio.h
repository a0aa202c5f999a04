// DetachedAudio: a message of the server without its audio, which is nearly all of it. So the JSON parser
// reads a hundred bytes instead of thousands, and the audio is decoded where it is. Pure logic.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::engine_gemini {

class DetachedAudio {
 public:
  // Decodes the long base64 strings of members "data", and replaces each by a mark in rest(). It does not
  // know whether they are audio: the caller parses rest(), takes the audio of each mark that it finds where
  // audio belongs, and parses the whole message unless that was all_taken(). Detaches nothing from a message
  // with a string that could be taken for a mark, so that each mark in rest() stands for one audio.
  void detach(std::string_view message);
  // Frees the audio that was not taken.
  void clear();

  bool any() const { return !audio_.empty(); }
  size_t count() const { return audio_.size(); }
  // JSON, exactly if the message is.
  const std::string& rest() const { return rest_; }
  // Returns whether a text is the mark of the bytes that take() returns next.
  bool is_next(std::string_view text) const;
  // Empty once all are taken.
  std::string take();
  bool all_taken() const { return taken_ == audio_.size(); }

 private:
  std::string rest_;
  std::vector<std::string> audio_;
  size_t taken_ = 0;
};

}  // namespace patchbay::engine_gemini
