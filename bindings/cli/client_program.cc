#include "bindings/cli/client_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxName = 40;
constexpr const char* kUnknown = "client";
// Programs that run another program, which their first operand names.
constexpr std::array<std::string_view, 16> kInterpreters = {
    "node", "nodejs", "bun",  "deno", "python", "python3", "ruby", "perl",
    "php",  "sh",     "bash", "dash", "zsh",    "npx",     "npm",  "env"};

std::string base_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  if (!name.empty() && name.front() == '-') name.erase(0, 1);  // a login shell
  for (const std::string_view suffix : {".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      name.erase(name.size() - suffix.size());
      break;
    }
  }
  return name;
}

bool is_interpreter(std::string name) {
  while (!name.empty() &&
         (std::isdigit(static_cast<unsigned char>(name.back())) != 0 || name.back() == '.')) {
    name.pop_back();  // python3.11
  }
  return std::find(kInterpreters.begin(), kInterpreters.end(), name) != kInterpreters.end();
}

std::string plain(std::string name) {
  for (char& byte : name) {
    const bool kept = std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '.' ||
                      byte == '_' || byte == '-';
    if (!kept) byte = '-';
  }
  return name.empty() ? kUnknown : name.substr(0, kMaxName);
}

}  // namespace

std::string program_name(const std::vector<std::string>& argv) {
  if (argv.empty()) return kUnknown;
  const std::string first = base_of(argv.front());
  if (!is_interpreter(first)) return plain(first);
  const auto operand = std::find_if(argv.begin() + 1, argv.end(), [](const std::string& word) {
    return !word.empty() && word.front() != '-' && word.find('=') == std::string::npos;
  });
  return plain(operand == argv.end() ? first : base_of(*operand));
}

std::string client_program() {
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/cmdline", std::ios::binary);
  constexpr std::size_t kMaxBytes = 4096;
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::vector<std::string> argv;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    argv.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return program_name(argv);
}

}  // namespace gibbous::cli
