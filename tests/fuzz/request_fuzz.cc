// libFuzzer entry for a line of `gibbous session`: what is understood holds together, what is not
// has a reason. Built with clang and GIBBOUS_FUZZ.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bindings/cli/json_members.h"
#include "bindings/cli/request.h"
#include "bindings/json/json.h"

namespace {

using gibbous::Json;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  gibbous::cli::Request request;
  const gibbous::Status status = gibbous::cli::parse_request(line, &request);
  require(status.ok() || !status.message().empty());
  require(request.id.empty() || Json::accept(request.id));
  if (!status.ok()) return 0;
  // The pieces are those of the whole.
  require(Json::accept(line));
  require(Json::accept(request.arguments));
  const auto members = gibbous::cli::json_members(line, gibbous::cli::kMaxJsonDepth);
  require(members.ok());
  const Json whole = Json::parse(line);
  require(whole.size() == members->size());
  for (const auto& member : *members) require(Json::parse(member.value) == whole.at(member.key));
  return 0;
}
