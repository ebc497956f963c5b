// RememberedJudgements: what a policy has said of the last lines. A line that comes again is asked
// about twice in one call, and agents run the same tests over and over. What the analysis asked the
// file system is asked again each time, and any other answer makes the judgement anew, so that what
// is remembered is what would be found. Loop thread only.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/policy_request.h"
#include "bindings/lua/policy/verdict.h"
#include "runtime/command/analyse.h"

namespace gibbous::lua {

struct CommandRequest;  // command_policy.h

class RememberedJudgements {
 public:
  // What the file system was asked while a line was analysed, and what it said.
  struct Asked {
    std::vector<std::pair<std::string, std::optional<std::string>>> paths;
    std::vector<std::pair<std::string, std::vector<command::DirectoryEntry>>> directories;
    bool too_much = false;
  };

  // Returns null when nothing is remembered of this line in this mode and place, or when the file
  // system says something else now.
  std::shared_ptr<const Judgement> find(const CommandRequest& request, const std::string& mode,
                                        const command::Place& place) const;
  // Returns the place with functions that note in `asked` what they are asked.
  static command::Place noting(const command::Place& place, std::shared_ptr<Asked> asked);
  // Long lines, those that asked much, and judgements that failed are not kept.
  void keep(const CommandRequest& request, const std::string& mode, const command::Place& place,
            const Asked& asked, std::shared_ptr<const Judgement> judgement);

  // The same for the verdict on a request with this judgement. Verdicts that failed, and those
  // about wishes, are not kept.
  const Verdict* verdict(const PolicyRequest& request, const Judgement* judgement) const;
  void keep_verdict(const PolicyRequest& request, const Verdict& verdict);

 private:
  static constexpr std::size_t kMost = 64;

  struct Said {
    PolicyRequest request;  // without what is about its command's paths
    Verdict verdict;
  };
  struct Entry {
    std::size_t hash = 0;
    std::shared_ptr<const CommandRequest> request;
    std::string mode;
    std::shared_ptr<const command::PathMap> map;
    Asked asked;
    std::shared_ptr<const Judgement> judgement;
    std::array<std::optional<Said>, 2> said;  // of the call, and of the start
  };
  std::deque<Entry> entries_;  // the oldest first
};

}  // namespace gibbous::lua
