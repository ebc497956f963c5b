// What front ends know of layers and trust.
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <utility>

#include "bindings/host/host_files.h"
#include "bindings/host/layers.h"
#include "bindings/host/places.h"
#include "gibbous/layers.h"
#include "runtime/process/ancestry.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;

bool is_project(const std::string& place) {
  std::error_code error;
  return fs::is_directory(place, error) || place.ends_with(host::kProjectDirectory);
}

// The directory that holds `.gibbous`.
std::string workspace_of(const std::string& place) {
  std::error_code error;
  fs::path path = fs::absolute(place.empty() ? "." : place, error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == ".gibbous") path = path.parent_path();
  return fs::weakly_canonical(path, error).string();
}

}  // namespace

static Result<std::shared_ptr<host::Layers>> read_layers(const RuntimeOptions& given) {
  RuntimeOptions options = given;
  lua::MemoryFiles memory;
  if (Status status = host::place_files(options, memory); !status) return status;
  return host::Layers::read(options, host::state_directory(given.state_dir), memory, SystemClock());
}

Result<std::string> describe_config(const RuntimeOptions& options) {
  const auto layers = read_layers(options);
  if (!layers) return layers.status();
  return (*layers)->describe();
}

Result<ClientTokens> read_client_tokens(const RuntimeOptions& options) {
  const auto layers = read_layers(options);
  if (!layers) return layers.status();
  ClientTokens made;
  made.files = (*layers)->config_files();
  for (const auto& [name, token] : (*layers)->merged().config.client_tokens()) {
    made.tokens.push_back({name, token.file, token.sha256, token.mode, token.workspace,
                           token.session, token.approver == "client"});
    if (!token.file.empty()) made.files.push_back(token.file);
  }
  return made;
}

TrustCandidate look_at_trust(const std::string& place, const std::string& state_dir) {
  const bool project = is_project(place);
  const std::string state = host::state_directory(state_dir);
  host::TrustLook look = project ? host::look_at_project(workspace_of(place), state)
                                 : host::look_at_services(place, state);
  TrustCandidate made;
  made.kind = project ? trust::kProject : trust::kServices;
  made.path = look.path;
  made.state = host::name_of(look.state);
  made.why = look.problem.message();
  made.hash = look.tree.hash;
  made.changes = std::move(look.changes);
  for (const trust::TreeFile& file : look.tree.files) {
    made.files.push_back({file.name, file.bytes});
    made.hashes.push_back(file.hash);
  }
  return made;
}

Status trust_candidate(const TrustCandidate& candidate, const std::string& state_dir,
                       const std::string& who) {
  if (candidate.hash.empty() || candidate.files.size() != candidate.hashes.size()) {
    return Status::error("invalid_arguments", candidate.path + ": there is nothing to trust");
  }
  if (is_inside_run()) {
    return Status::error("inside_run",
                         "this process belongs to a run: what a project configures is trusted by a "
                         "person, in a terminal of their own");
  }
  trust::Trusted trusted;
  trusted.kind = candidate.kind;
  trusted.path = candidate.path;
  trusted.hash = candidate.hash;
  for (std::size_t at = 0; at < candidate.files.size(); ++at) {
    trusted.files.push_back({candidate.files[at].name, candidate.hashes[at]});
  }
  trusted.who = who;
  trusted.when = std::time(nullptr);
  return trust::TrustStore(host::state_directory(state_dir)).add(trusted);
}

Result<std::vector<TrustedPlace>> list_trusted(const std::string& state_dir) {
  auto all = trust::TrustStore(host::state_directory(state_dir)).list();
  if (!all) return all.status();
  std::vector<TrustedPlace> places;
  for (trust::Trusted& each : *all) {
    places.push_back({each.kind, each.path, each.hash, each.who, each.when});
  }
  return places;
}

Result<bool> revoke_trust(const std::string& place, const std::string& state_dir) {
  const std::string state = host::state_directory(state_dir);
  const trust::TrustStore store(state);
  // What is gone is revoked under the name that the list shows.
  auto revoked = store.remove(place);
  if (!revoked || *revoked) return revoked;
  revoked = store.remove(workspace_of(place) + host::kProjectDirectory);
  if (!revoked || *revoked) return revoked;
  return store.remove(host::look_at_services(place, state).path);
}

}  // namespace gibbous
