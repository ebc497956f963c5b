// Where configuration comes from, and what of a project a person has trusted: for `gibbous config`,
// `gibbous trust` and hosts that do the same. Any thread; each call waits for the disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous {

// Returns a JSON object: `layers` (layer, path, state, why), `values` (field, value, layer, file,
// line) of the fields that some layer has set, and `refused` (field, layer, file, line, message),
// what a lower layer has set and what is not in force. Secrets are `***`. Fails as create() would.
Result<std::string> describe_config(const RuntimeOptions& options);

// A client of the MCP server over HTTP, as `mcp.tokens` of the configuration names it.
struct ClientToken {
  std::string name;
  std::string file;         // its first line is the token; "": `sha256` says which it is
  std::string sha256;       // of the token, 64 hexadecimal digits
  std::string mode;         // of its calls; "": that of the options
  std::string workspace;    // of its runs; "": that of the options
  std::string session;      // of its calls, without the workspace; no other token's
  bool asks_client = true;  // false: the policy's questions wait for `gibbous asks`
};
struct ClientTokens {
  std::vector<ClientToken> tokens;  // by name
  std::vector<std::string> files;   // that a change of them may be in, whether they exist or not
};
// Fails as create() would.
Result<ClientTokens> read_client_tokens(const RuntimeOptions& options);

struct TrustFile {
  std::string name;
  std::string text;  // its bytes, as they were hashed
};

// The `.gibbous` directory of a project, or a file of `gibbous up`, as it was read.
struct TrustCandidate {
  std::string kind;   // project or services
  std::string path;   // absolute
  std::string state;  // none, trusted, not trusted, changed, unusable
  std::string why;    // unusable: the reason
  std::string hash;   // of names, modes and bytes
  std::vector<TrustFile> files;
  std::vector<std::string> hashes;   // of the files, in their order
  std::vector<std::string> changes;  // since it was trusted: "~ config.lua", "+ x", "- y"
};

// `place`: a directory, which has or is a `.gibbous`, or a file. `state_dir` "" means the default.
TrustCandidate look_at_trust(const std::string& place, const std::string& state_dir);
// Trusts just what the candidate was read as: a change meanwhile is not trusted. Fails with
// inside_run in a process of a run.
Status trust_candidate(const TrustCandidate& candidate, const std::string& state_dir,
                       const std::string& who);

struct TrustedPlace {
  std::string kind;
  std::string path;
  std::string hash;
  std::string who;
  std::int64_t when = 0;  // Unix seconds
};
// Fails with trust_damaged, trust_newer, state_dir_unusable or state_file_unusable: then nothing is
// trusted.
Result<std::vector<TrustedPlace>> list_trusted(const std::string& state_dir);
// Returns whether the place, as for look_at_trust(), was trusted.
Result<bool> revoke_trust(const std::string& place, const std::string& state_dir);

}  // namespace gibbous
