// `gibbous trust`: shows what a project would configure, asks a person, and remembers the answer.
#include "bindings/cli/trust.h"

#include <cstdio>
#include <string>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/confirm.h"
#include "bindings/cli/prompt.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/json/text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kShownDigits = 12;  // of a hash

OrderedJson json_of(const TrustCandidate& candidate) {
  OrderedJson files = OrderedJson::array();
  for (const TrustFile& file : candidate.files) {
    files.push_back({{"name", file.name}, {"bytes", file.text.size()}});
  }
  OrderedJson made = {{"kind", candidate.kind},    {"path", candidate.path},
                      {"state", candidate.state},  {"hash", candidate.hash},
                      {"files", std::move(files)}, {"changes", candidate.changes}};
  if (!candidate.why.empty()) made["why"] = candidate.why;
  return made;
}

void show(const TrustCandidate& candidate, std::FILE* to) {
  std::fprintf(to, "%s  %s  %s\n", shown_text(candidate.path).c_str(), candidate.state.c_str(),
               candidate.hash.substr(0, kShownDigits).c_str());
  for (const TrustFile& file : candidate.files) {
    std::fprintf(to, "  %8zu  %s\n", file.text.size(), shown_text(file.name).c_str());
  }
  if (candidate.changes.empty()) return;
  std::fputs("changed since it was trusted (+ new, - gone, ~ other content):\n", to);
  for (const std::string& change : candidate.changes) {
    std::fprintf(to, "  %s\n", shown_text(change).c_str());
  }
}

ExitCode list_places(const Options& options) {
  const auto places = list_trusted(options.runtime.state_dir);
  if (!places) return fail(places.status(), options);
  if (options.json) {
    OrderedJson list = OrderedJson::array();
    for (const TrustedPlace& place : *places) {
      list.push_back({{"kind", place.kind},
                      {"path", place.path},
                      {"hash", place.hash},
                      {"who", place.who},
                      {"when", place.when}});
    }
    std::printf("%s\n", to_text(OrderedJson{{"trusted", std::move(list)}}).c_str());
    return ExitCode::kDone;
  }
  if (places->empty()) std::puts("nothing is trusted");
  for (const TrustedPlace& place : *places) {
    std::printf("%s  %s  %s\n", place.hash.substr(0, kShownDigits).c_str(), place.kind.c_str(),
                shown_text(place.path).c_str());
  }
  return ExitCode::kDone;
}

ExitCode revoke_place(const Options& options) {
  const auto revoked = revoke_trust(options.directory, options.runtime.state_dir);
  if (!revoked) return fail(revoked.status(), options);
  if (!*revoked) {
    return fail(
        Status::error("not_trusted", options.directory + ": nothing there is trusted; "
                                                         "gibbous trust --list shows what is"),
        options);
  }
  if (options.json) {
    std::puts("{\"revoked\":true}");
  } else {
    std::printf("revoked %s\n", shown_text(options.directory).c_str());
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode ask_for_trust(const TrustCandidate& candidate, const Options& options) {
  const std::string command = "gibbous trust " + candidate.path;
  if (!options.yes) {
    if (options.json || !can_confirm()) {
      return fail(
          Status::error("needs_approval",
                        candidate.path + " is " + candidate.state +
                            ": a person has to look at it and trust it, on a terminal: " + command),
          options);
    }
    show(candidate, stderr);
    if (!confirmed("Its settings, rules and commands would count for this directory. Trust just "
                   "this content?")) {
      return fail(Status::error("denied", candidate.path + " is not trusted"), options);
    }
  }
  const Status status = trust_candidate(candidate, options.runtime.state_dir, user_name());
  return status ? ExitCode::kDone : fail(status, options);
}

ExitCode run_trust(const Options& options) {
  if (options.list_trusted) return list_places(options);
  if (options.revoke_trust) return revoke_place(options);
  const TrustCandidate candidate = look_at_trust(options.directory, options.runtime.state_dir);
  if (candidate.state == "none") {
    return fail(Status::error("nothing_to_trust", candidate.path + " does not exist"), options);
  }
  if (candidate.state == "unusable") {
    return fail(Status::error("layer_unusable", candidate.why), options);
  }
  if (candidate.state != "trusted") {
    if (const ExitCode code = ask_for_trust(candidate, options); code != ExitCode::kDone) {
      return code;
    }
  }
  if (options.json) {
    OrderedJson made = json_of(candidate);
    made["state"] = "trusted";
    std::printf("%s\n", to_text(made).c_str());
  } else {
    std::printf("trusted %s  %s\n", shown_text(candidate.path).c_str(),
                candidate.hash.substr(0, kShownDigits).c_str());
  }
  return ExitCode::kDone;
}

ExitCode run_config(const Options& options) {
  const auto described = describe_config(options.runtime);
  if (!described) return fail(described.status(), options);
  if (options.json) {
    std::printf("%s\n", described->c_str());
    return ExitCode::kDone;
  }
  const OrderedJson all = OrderedJson::parse(*described);
  const auto text = [](const OrderedJson& of, const char* name) {
    const auto found = of.find(name);
    return found != of.end() && found->is_string() ? shown_text(found->get<std::string>())
                                                   : std::string();
  };
  const Terminal terminal(STDOUT_FILENO);
  std::vector<std::vector<std::string>> rows = {{"LAYER", "STATE", "PLACE"}};
  for (const OrderedJson& layer : all["layers"]) {
    rows.push_back({text(layer, "layer"), text(layer, "state"), text(layer, "path")});
  }
  std::fputs(format_table(rows, terminal).c_str(), stdout);
  rows = {{"FIELD", "FROM", "VALUE"}};
  for (const OrderedJson& value : all["values"]) {
    std::string from = text(value, "file");
    if (from.empty()) from = text(value, "layer");
    if (value.contains("line")) from += ":" + value["line"].dump();
    rows.push_back({text(value, "field"), from, shown_text(to_text(value["value"]))});
  }
  std::fputs("\n", stdout);
  if (rows.size() > 1) {
    std::fputs(format_table(rows, terminal).c_str(), stdout);
  } else {
    std::fputs("every field has its default\n", stdout);
  }
  for (const OrderedJson& layer : all["layers"]) {
    if (layer.contains("why")) std::printf("\n%s\n", text(layer, "why").c_str());
  }
  for (const OrderedJson& refused : all["refused"]) {
    std::printf("\n%s\n", text(refused, "message").c_str());
  }
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
