#include "runtime/base/shell_quote.h"

#include <algorithm>
#include <cctype>

namespace gibbous {
namespace {

bool is_plain(std::string_view word) {
  constexpr std::string_view kPlain = "_-+=:,./@%";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char each) {
    return std::isalnum(static_cast<unsigned char>(each)) != 0 ||
           kPlain.find(each) != std::string_view::npos;
  });
}

}  // namespace

std::string shell_quote(std::string_view word) {
  if (is_plain(word)) return std::string(word);
  std::string text = "'";
  for (const char each : word) {
    if (each == '\'') {
      text += "'\\''";
    } else {
      text += each;
    }
  }
  return text + "'";
}

}  // namespace gibbous
