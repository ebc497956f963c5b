#include "bindings/cli/up_view.h"
#include "bindings/json/text.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace gibbous::cli {
namespace {

constexpr std::array kColours = {Colour::kCyan, Colour::kGreen, Colour::kYellow, Colour::kMagenta,
                                 Colour::kBlue};

std::string sentence(const Json& event) {
  const std::string what = event.value("event", "");
  const std::string text = event.value("text", "");
  if (what == "started") {
    std::string line = "started, pid " + std::to_string(event.value("pid", 0));
    for (const Json& mapping : event.value("ports", Json::array())) {
      line += ", port " + std::to_string(mapping.value("port", 0)) + " is " +
              std::to_string(mapping.value("host", 0)) + " here";
    }
    return line;
  }
  const std::string state = event.value("stopped", false) ? "stopped" : event.value("state", "");
  if (what == "exited") return state + ": " + text;
  if (what == "restarted") return "restarted, " + text;
  if (what == "gave_up") return "gave up: " + text;
  if (what == "not_ready") return "not ready: " + text;
  if (what == "not_started") return "not started: " + text;
  return what;
}

bool is_bad(const Json& event) {
  if (event.value("stopped", false)) return false;
  const std::string what = event.value("event", "");
  return what == "gave_up" || what == "not_ready" || what == "not_started" ||
         (what == "exited" && event.value("state", "") != "completed");
}

}  // namespace

UpView::UpView(const std::vector<std::string>& names, bool json)
    : terminal_(STDOUT_FILENO), json_(json) {
  for (const std::string& name : names) {
    colours_.emplace(name, kColours[colours_.size() % kColours.size()]);
    width_ = std::max(width_, name.size());
  }
}

std::string UpView::prefix(const std::string& name) const {
  const auto found = colours_.find(name);
  const Colour colour = found == colours_.end() ? Colour::kNone : found->second;
  const std::string padded = name + std::string(width_ - std::min(width_, name.size()), ' ');
  return terminal_.paint(colour, padded + " |") + " ";
}

void UpView::show(const std::string& event) {
  Json parsed = Json::parse(event, nullptr, false);
  if (!parsed.is_object()) return;
  if (parsed.value("event", "") == "lines") {
    const Json lines = parsed.value("lines", Json::array());
    parsed.erase("lines");
    parsed["event"] = "line";
    for (const Json& line : lines) {
      parsed["text"] = line;
      print(parsed);
    }
  } else {
    print(parsed);
  }
  failed_ = std::fflush(stdout) != 0 || failed_;
}

void UpView::print(const Json& event) {
  std::string line;
  if (json_) {
    line = to_text(event);
  } else if (event.value("event", "") == "line") {
    line = prefix(event.value("service", "")) + event.value("text", "");
  } else {
    const Colour colour = is_bad(event) ? Colour::kRed : Colour::kDim;
    line = prefix(event.value("service", "")) + terminal_.paint(colour, sentence(event));
  }
  failed_ = std::printf("%s\n", line.c_str()) < 0 || failed_;
}

}  // namespace gibbous::cli
