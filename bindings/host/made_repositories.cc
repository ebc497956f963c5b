#include "bindings/host/made_repositories.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/paths/git_places.h"
#include "runtime/runs/path_lookups.h"

namespace gibbous::host {

bool find_made_repositories(Runs& runs, const Run& run,
                            std::function<void(std::vector<std::string> made)> on_found) {
  const auto& sandbox = run.spec().sandbox;
  if (!sandbox || sandbox->repositories_below.empty() || run.pid() == 0) return false;
  if (!runs.paths().is_open()) return false;
  const std::string& below = sandbox->repositories_below;
  (void)runs.paths().ask(
      {paths::Ask::kGitPlaces, below, {}}, 0,
      [below, before = sandbox->repositories,
       on_found = std::move(on_found)](const paths::Answer& answer) {
        std::vector<std::string> made;
        if (!answer.answered || answer.error != 0) return on_found(std::move(made));
        for (const std::string& place : paths::repositories_in(paths::git_places_of(answer.text))) {
          if (std::find(before.begin(), before.end(), place) != before.end()) continue;
          const std::filesystem::path repository = std::filesystem::path(place).parent_path();
          made.push_back(repository.lexically_relative(below).string());
        }
        on_found(std::move(made));
      });
  return true;
}

}  // namespace gibbous::host
