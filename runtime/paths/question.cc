#include "runtime/paths/question.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "runtime/base/unique_fd.h"
#include "runtime/paths/git_places.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {
namespace {

constexpr std::size_t kBeginningBytes = 4096;
constexpr std::size_t kMaxFiles = 256;

UniqueFd open_for_reading(int directory, const char* path) {
  // Neither waits for a writer of a pipe nor takes a terminal.
  return UniqueFd(::openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

bool is_regular(const UniqueFd& file) {
  struct stat info {};
  return file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
}

// What a start does may fail; only that it ends is of interest.
Answer enter(const Question& question) {
  const UniqueFd directory(::open(question.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return {true, errno, ""};
  (void)::faccessat(directory.get(), ".", X_OK, 0);
  for (const std::string& name : question.files) {
    const UniqueFd file = open_for_reading(directory.get(), name.c_str());
    std::array<char, kBeginningBytes> beginning;
    if (!is_regular(file)) continue;
    const ssize_t size = ::pread(file.get(), beginning.data(), beginning.size(), 0);
    const std::string_view text(beginning.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
    const std::string interpreter = interpreter_of(text);
    if (interpreter.empty()) continue;
    const UniqueFd program = open_for_reading(directory.get(), interpreter.c_str());
    if (is_regular(program)) (void)::pread(program.get(), beginning.data(), beginning.size(), 0);
  }
  return {true, 0, ""};
}

void put_number(std::string* packet, std::uint32_t number) {
  std::array<char, sizeof number> bytes;
  std::memcpy(bytes.data(), &number, sizeof number);
  packet->append(bytes.data(), bytes.size());
}

std::uint32_t number_at(std::span<const char> packet, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, packet.data() + at, sizeof number);
  return number;
}

constexpr std::size_t kHead = sizeof(std::uint32_t);

}  // namespace

std::string interpreter_of(std::string_view beginning) {
  if (beginning.rfind("#!", 0) != 0) return "";
  const std::string_view line = beginning.substr(2, beginning.find('\n') - 2);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t end = std::min(line.find_first_of(" \t", first), line.size());
  return std::string(line.substr(first, end - first));
}

std::optional<std::string> encode(const Question& question) {
  std::string packet;
  put_number(&packet, static_cast<std::uint32_t>(question.ask));
  packet += question.path;
  packet += '\0';
  for (const std::string& file : question.files) {
    packet += file;
    packet += '\0';
  }
  if (packet.size() > kMaxQuestionBytes || question.files.size() > kMaxFiles) return std::nullopt;
  return packet;
}

std::optional<Question> decode_question(std::span<const char> packet) {
  if (packet.size() <= kHead || packet.back() != '\0') return std::nullopt;
  const std::uint32_t ask = number_at(packet, 0);
  if (ask > static_cast<std::uint32_t>(Ask::kGitPlaces)) return std::nullopt;
  Question question;
  question.ask = static_cast<Ask>(ask);
  std::string_view rest(packet.data() + kHead, packet.size() - kHead);
  bool first = true;
  while (!rest.empty()) {
    std::string text(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(text.size() + 1);
    if (first) {
      question.path = std::move(text);
    } else {
      question.files.push_back(std::move(text));
    }
    first = false;
  }
  if (question.path.empty() || question.path[0] != '/' || question.files.size() > kMaxFiles) {
    return std::nullopt;
  }
  return question;
}

std::string encode(const Answer& answer) {
  std::string packet;
  put_number(&packet, static_cast<std::uint32_t>(answer.error));
  return packet + answer.text;
}

std::optional<Answer> decode_answer(std::span<const char> packet) {
  if (packet.size() < kHead) return std::nullopt;
  Answer answer;
  answer.answered = true;
  answer.error = static_cast<int>(number_at(packet, 0));
  answer.text.assign(packet.data() + kHead, packet.size() - kHead);
  return answer;
}

Answer answer(const Question& question) {
  switch (question.ask) {
    case Ask::kReal:
      return {true, 0, real_path(question.path)};
    case Ask::kExists: {
      struct stat info {};
      return {true, ::stat(question.path.c_str(), &info) == 0 ? 0 : errno, ""};
    }
    case Ask::kEnter:
      return enter(question);
    case Ask::kGitPlaces:
      return {true, 0, to_text(find_git_places(question.path))};
  }
  return {};
}

}  // namespace gibbous::paths
