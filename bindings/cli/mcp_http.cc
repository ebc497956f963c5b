// See mcp_http.h.
#include "bindings/cli/mcp_http.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "bindings/mcp/http/access.h"
#include "bindings/mcp/http/limits.h"
#include "bindings/mcp/http/tcp_address.h"
#include "bindings/mcp/http/token.h"
#include "bindings/mcp/http/unix_listener.h"
#include "runtime/base/sha256.h"

namespace gibbous::cli {
namespace {

Result<std::string> token_of(const Options& options, bool with_clients) {
  if (!options.token_file.empty()) {
    return mcp::http::read_token_file(options.token_file, "--token-file");
  }
  if (options.no_token && with_clients) {
    return Status::error("invalid_arguments",
                         "--token none: clients without a token are not told from those that "
                         "mcp.tokens of the configuration names; leave it out, or remove those");
  }
  if (options.no_token || with_clients) return std::string();
  return mcp::http::make_token();
}

Status add_tcp(const Options& options, bool with_clients, mcp::http::HttpOptions* made,
               std::string* announcement) {
  Result<std::string> token = token_of(options, with_clients);
  if (!token) return token.status();
  const std::optional<mcp::http::TcpAddress> address = mcp::http::TcpAddress::parse(options.http);
  if (!address) {
    return Status::error("invalid_arguments", "--http: not an address: " + options.http);
  }
  Result<UniqueFd> socket = address->listen();
  if (!socket) return socket.status();

  *announcement +=
      "gibbous mcp: serving http://" + mcp::http::TcpAddress::of(*socket) + mcp::http::kPath + "\n";
  if (options.token_file.empty() && !token->empty()) {
    *announcement += "gibbous mcp: clients send Authorization: Bearer " + *token + "\n";
  }
  mcp::http::Listener listener;
  listener.socket = std::move(*socket);
  listener.access.token = std::move(*token);
  listener.access.needs_token = with_clients;
  listener.access.any_address = !address->is_loopback();
  for (const std::string& host : options.hosts) {
    listener.access.hosts.push_back(mcp::http::host_name(host));
  }
  made->listeners.push_back(std::move(listener));
  return {};
}

}  // namespace

std::string session_in_workspace(const std::string& name, const std::string& given) {
  // As long as the runtime takes, with what is added for a client of its own.
  constexpr std::size_t kMaxBytes = 180;
  constexpr std::size_t kHashDigits = 16;
  if (name.find('@') != std::string::npos) return name;
  std::error_code failure;
  const auto place = std::filesystem::absolute(given.empty() ? "." : given, failure);
  std::string workspace = std::filesystem::weakly_canonical(place, failure).string();
  if (name.size() + workspace.size() > kMaxBytes) {
    workspace = sha256_hex(workspace).substr(0, kHashDigits);
  }
  return name + "@" + workspace;
}

Result<mcp::http::HttpOptions> http_options(const Options& options, bool with_clients,
                                            std::string* announcement) {
  mcp::http::HttpOptions made;
  made.structured = options.structured;
  made.task_after = std::chrono::seconds(options.task_after_s);
  made.session = session_in_workspace(options.session.empty() ? "http" : options.session,
                                      options.runtime.workspace);
  if (!options.http.empty()) {
    if (Status status = add_tcp(options, with_clients, &made, announcement); !status) return status;
  }
  if (!options.unix_socket.empty()) {
    Result<mcp::http::UnixListener> at = mcp::http::listen_unix(options.unix_socket);
    if (!at) return at.status();
    mcp::http::Listener listener;
    listener.socket = std::move(at->socket);
    listener.place = std::move(at->place);
    listener.access.any_name = true;
    listener.access.needs_token = with_clients;
    made.listeners.push_back(std::move(listener));
    *announcement +=
        "gibbous mcp: serving " + options.unix_socket + ", path " + mcp::http::kPath + "\n";
  }
  return made;
}

std::uint64_t raise_descriptor_limit() {
  constexpr rlim_t kForOtherThings = 512;
  const rlim_t wanted = mcp::http::Limits{}.connections + kForOtherThings;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  const rlim_t before = files.rlim_cur;
  if (before >= wanted) return before;
  files.rlim_cur = std::min(wanted, files.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &files);
  return before;
}

}  // namespace gibbous::cli
