// See mcp_clients.h.
#include "bindings/cli/mcp_clients.h"

#include <limits.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "bindings/cli/mcp_http.h"
#include "bindings/cli/report.h"
#include "bindings/cli/report_page.h"
#include "bindings/mcp/http/token.h"
#include "runtime/base/sha256.h"

namespace gibbous::cli {
namespace {

// Whatever may make a file another one, or another's.
constexpr std::uint32_t kChanges =
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB;

Status about(const std::string& name, const Status& status) {
  return Status::error(status.code(), "mcp.tokens." + name + ": " + status.message());
}

Result<std::string> digest_of(const ClientToken& token) {
  if (token.file.empty()) return token.sha256;
  const Result<std::string> read =
      mcp::http::read_token_file(token.file, "mcp.tokens." + token.name + ".file");
  if (!read) return read.status();
  return sha256_hex(*read);
}

}  // namespace

struct McpClients::Client {
  Client(ClientToken of, std::string its_digest, std::unique_ptr<Runtime> its_runtime)
      : token(std::move(of)),
        digest(std::move(its_digest)),
        runtime(std::move(its_runtime)),
        backend(*runtime, page_maker(runtime->state_dir())) {}

  ClientToken token;
  std::string digest;
  std::string session;  // with the workspace
  std::unique_ptr<Runtime> runtime;
  mcp::RuntimeBackend backend;
};

McpClients::McpClients(const RuntimeOptions& options) : options_(options) {}

McpClients::~McpClients() = default;

Result<std::unique_ptr<McpClients>> McpClients::create(const RuntimeOptions& options) {
  std::unique_ptr<McpClients> made(new McpClients(options));
  if (Status status = made->read(/*first=*/true); !status) return status;
  return made;
}

Result<std::unique_ptr<McpClients::Client>> McpClients::make(const ClientToken& token,
                                                             std::string digest) {
  RuntimeOptions options = options_;
  if (!token.mode.empty()) options.mode = token.mode;
  if (!token.workspace.empty()) options.workspace = token.workspace;
  options.session = session_in_workspace(token.session, options.workspace);
  options.claim_session = true;
  const std::string session = options.session;
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(std::move(options));
  if (!runtime) return about(token.name, runtime.status());
  auto made = std::make_unique<Client>(token, std::move(digest), std::move(*runtime));
  made->session = session;
  return made;
}

// The first time, what is wrong stops the start.
Status McpClients::read(bool first) {
  Result<ClientTokens> tokens = read_client_tokens(options_);
  // What changed before its directory was watched is not told.
  constexpr int kMostTries = 3;
  for (int tries = 0; tokens && watch(tokens->files) && tries < kMostTries; ++tries) {
    tokens = read_client_tokens(options_);
  }
  if (!tokens) return tokens.status();
  std::map<std::string, std::string> owners;  // by digest
  std::set<std::string> named;
  for (const ClientToken& token : tokens->tokens) {
    Result<std::string> digest = digest_of(token);
    if (digest) {
      const auto [owner, is_first] = owners.emplace(*digest, token.name);
      if (!is_first) {
        digest = Status::error("invalid_arguments", "mcp.tokens." + token.name +
                                                        ": its token is that of mcp.tokens." +
                                                        owner->second + ", too: make another one");
      }
    }
    if (!digest) {
      if (first) return digest.status();
      say(digest.status().message());
      continue;
    }
    named.insert(token.name);
    const auto found = clients_.find(token.name);
    const bool is_another =
        found != clients_.end() && (found->second->token.workspace != token.workspace ||
                                    found->second->token.session != token.session ||
                                    found->second->token.asks_client != token.asks_client);
    if (found != clients_.end() && !is_another) {
      change(*found->second, token, *digest);
      continue;
    }
    if (is_another) remove(token.name);
    // The name of one that is ending is free again when it has ended, which looks again.
    if (leaving_.count(token.name) != 0) continue;
    auto made = make(token, *digest);
    if (!made && first) return made.status();
    if (!made) {
      say(made.status().message());
      continue;
    }
    Client& client = *(clients_[token.name] = std::move(*made));
    if (transport_ == nullptr) continue;
    transport_->add_client(client.backend,
                           {token.name, client.digest, client.session, token.asks_client});
  }
  std::vector<std::string> gone;
  for (const auto& [name, client] : clients_) {
    if (named.count(name) == 0) gone.push_back(name);
  }
  for (const std::string& name : gone) remove(name);
  return {};
}

void McpClients::serve(mcp::http::Transport& transport) {
  transport_ = &transport;
  for (const auto& [name, client] : clients_) {
    transport.add_client(client->backend,
                         {name, client->digest, client->session, client->token.asks_client});
  }
}

void McpClients::change(Client& client, const ClientToken& token, const std::string& digest) {
  if (client.digest != digest) {
    client.digest = digest;
    transport_->change_token(token.name, digest);
    say(token.name + ": it has another token");
  }
  if (client.token.mode != token.mode) {
    const std::string mode = token.mode.empty() ? own_mode_ : token.mode;
    const ReloadResult result = client.runtime->set_mode(mode);
    if (!result.ok) {
      // Calls in a mode that is not the one that was asked for would be worse than none.
      say("mcp.tokens." + token.name + ".mode: " + result.message);
      remove(token.name);
      return;
    }
    say(token.name + ": its mode is " + client.runtime->mode());
  }
  client.token = token;
}

void McpClients::remove(const std::string& name) {
  auto node = clients_.extract(name);
  if (node.empty()) return;
  say(name + ": its token is not accepted any more");
  leaving_.insert(std::move(node));
  transport_->remove_client(name, [this, name] {
    leaving_.erase(name);
    look_at_all();
  });
}

void McpClients::look_again() {
  if (has_changed()) look_at_all();
}

void McpClients::look_at_all() {
  if (Status status = read(/*first=*/false); !status) {
    say("the tokens of the configuration stay as they were: " + status.message());
  }
}

// Watches the directories, because an editor puts another file in the place of the old one.
bool McpClients::watch(const std::vector<std::string>& files) {
  if (!watch_) watch_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch_) return false;
  std::map<int, std::set<std::string>> wanted;
  for (const std::string& file : files) {
    const std::filesystem::path path(file);
    const std::string directory = path.has_parent_path() ? path.parent_path().string() : ".";
    const int number = ::inotify_add_watch(watch_.get(), directory.c_str(), kChanges);
    if (number >= 0) wanted[number].insert(path.filename().string());
  }
  for (const auto& [number, names] : watched_) {
    if (wanted.count(number) == 0) ::inotify_rm_watch(watch_.get(), number);
  }
  const bool is_more = std::any_of(wanted.begin(), wanted.end(), [this](const auto& each) {
    return watched_.count(each.first) == 0;
  });
  watched_ = std::move(wanted);
  return is_more;
}

bool McpClients::has_changed() {
  constexpr std::size_t kSomeEvents = 16;
  alignas(inotify_event) std::array<char, kSomeEvents*(sizeof(inotify_event) + NAME_MAX + 1)> bytes;
  bool changed = false;
  while (true) {
    const ssize_t count = ::read(watch_.get(), bytes.data(), bytes.size());
    if (count <= 0) return changed;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const char* name = event.len == 0 ? "" : bytes.data() + at + sizeof event;
      at += sizeof event + event.len;
      const auto directory = watched_.find(event.wd);
      // Mounted secrets are links through a directory whose name begins with two dots.
      const bool is_link = std::strncmp(name, "..", 2) == 0;
      const bool is_named = directory != watched_.end() && directory->second.count(name) != 0;
      changed = changed || is_named || is_link || (event.mask & IN_Q_OVERFLOW) != 0;
    }
  }
}

void McpClients::tell_end_problems() const {
  for (const auto* all : {&clients_, &leaving_}) {
    for (const auto& [name, client] : *all) tell_end_problem(*client->runtime);
  }
}

void McpClients::say(const std::string& text) {
  if (transport_ != nullptr) transport_->say(text);
}

}  // namespace gibbous::cli
