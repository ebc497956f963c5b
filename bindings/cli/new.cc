// `gibbous new`: writes the beginning of a tool, a policy, a watcher's handler or an executor.
#include <cstdio>
#include <string>

#include "bindings/cli/commands.h"
#include "bindings/cli/new_file.h"
#include "bindings/cli/new_templates.h"
#include "bindings/cli/report.h"
#include "bindings/json/text.h"

namespace gibbous::cli {
namespace {

void tell(const std::vector<std::string>& written, const std::vector<std::string>& next,
          const Options& options) {
  if (options.json) {
    std::printf("%s\n", to_text(OrderedJson{{"written", written}, {"next", next}}).c_str());
    return;
  }
  for (const std::string& path : written) std::printf("wrote %s\n", path.c_str());
  std::printf("next:\n");
  for (const std::string& each : next) std::printf("  %s\n", each.c_str());
}

}  // namespace

ExitCode run_new(const Options& options) {
  if (const std::string problem = name_problem(options.new_kind, options.name); !problem.empty()) {
    return fail(Status::error("invalid_arguments", problem), options);
  }
  const NewTemplate made = new_template(options.new_kind, options.name);
  if (Status status = write_new_file(options.directory, made.file.path, made.file.text); !status) {
    return fail(status, options);
  }
  std::vector<std::string> written = {made.file.path};
  if (!made.spec.path.empty()) {
    const Status tested = write_new_file(options.directory, made.spec.path, made.spec.text);
    if (!tested && tested.code() != "file_exists") return fail(tested, options);
    if (tested) written.push_back(made.spec.path);
  }
  std::vector<std::string> next = made.next;
  const Status listed = write_new_file(options.directory, made.init.path, made.init.text);
  if (listed) {
    written.push_back(made.init.path);
  } else if (listed.code() == "file_exists") {
    next.insert(next.begin(), "add to " + made.init.path + ": " + made.how_to_list);
  } else {
    return fail(listed, options);
  }
  tell(written, next, options);
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
