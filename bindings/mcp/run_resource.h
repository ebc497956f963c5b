// Runs as MCP resources: `gibbous://runs/ID`, whose text is the state and an excerpt of the output,
// and below it what was written to stdout and stderr, and what happened to it. Used by the server.
// Stateless; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

enum class RunPart : std::uint8_t { kSummary, kStdout, kStderr, kEvents };

struct RunAddress {
  std::string run;
  RunPart part = RunPart::kSummary;
  std::optional<std::uint64_t> cursor;  // of kStdout and kStderr: ?cursor=N
};

std::string run_uri(std::string_view run, RunPart part = RunPart::kSummary);
// Returns nothing when the URI is not that of a run.
std::optional<RunAddress> run_address_of(std::string_view uri);

// The longest text of one stream that is read at once, and what is read without a cursor.
inline constexpr std::size_t kMostRunOutput = std::size_t{256} << 10;

// `info`: an entry of Runtime::list_runs().
Json describe_run(const Json& info);
std::string run_text(const Json& info, const std::string& excerpt);
// The contents of a stream. Its _meta has `gibbous/from` and `gibbous/next`, cursors in bytes, and
// `gibbous/ended`, whether there will be no more.
Json run_output(const std::string& uri, const OutputBytes& output);
// The templates, an array.
Json run_templates();
bool is_run_template(std::string_view uri);

}  // namespace gibbous::mcp
