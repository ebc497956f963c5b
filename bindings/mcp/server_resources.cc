// The part of the server that presents resources: those of the scripts, and runs. See server.h,
// script_resource.h and run_resource.h.
//
// A subscriber of a run is notified when its state changes or a watcher matches, not of every line
// of output; one of an output when it has grown, twice a second at most.
#include <algorithm>
#include <limits>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/mcp/pending_call.h"
#include "bindings/mcp/run_resource.h"
#include "bindings/mcp/script_resource.h"
#include "bindings/mcp/server.h"

namespace gibbous::mcp {
namespace {

constexpr std::size_t kPageRuns = 500;
constexpr std::size_t kExcerptTokens = 4000;
constexpr std::size_t kMostSuggested = 100;
constexpr std::size_t kMostEvents = 200;
constexpr const char* kPageUri = "gibbous://report";

Json describe_page() {
  return Json{{"uri", kPageUri},
              {"name", "report"},
              {"title", "Report of the session"},
              {"description", "One page about the runs, decisions and events of the session"},
              {"mimeType", "text/html"}};
}

// The URI that a request named, for programs; one that no resource can have is left out.
Json named_uri(const std::string& uri) {
  constexpr std::size_t kMaxUriBytes = std::size_t{8} * 1024;
  return uri.size() <= kMaxUriBytes ? Json{{"uri", uri}} : Json::object();
}

Json script_resources(const std::vector<ResourceInfo>& all, bool templates) {
  Json listed = Json::array();
  for (const ResourceInfo& info : all) {
    if (info.is_template == templates) listed.push_back(describe_resource(info));
  }
  return listed;
}

}  // namespace

// Calls `then` later, unless the request is cancelled first.
void Server::look_at_runs(const Request& request, std::function<void(const Infos& runs)> then) {
  const std::string key = id_key(request.id);
  looking_.insert(key);
  backend_.list_runs(
      [this, key, then = std::move(then),
       alive = std::weak_ptr<const int>(lifetime_)](const std::vector<std::string>& runs) {
        if (alive.expired() || closed_ || looking_.erase(key) == 0) return;
        Infos infos;
        for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
          Parsed parsed = parse_json(*run);
          if (parsed.value.is_object()) infos.push_back(std::move(parsed.value));
        }
        then(infos);
      });
}

// The resources of the scripts, whose number is limited, come first. The cursor is the id of the
// last run of the previous page.
void Server::list_resources(const Request& request, const Envelope& envelope) {
  const auto cursor = request.params.find("cursor");
  const bool given = cursor != request.params.end() && !cursor->is_null();
  if (given && !cursor->is_string()) {
    refuse(request.id, kInvalidParams, "Invalid cursor: list again from the start");
    return;
  }
  const std::string after = given ? cursor->get<std::string>() : std::string();
  look_at_runs(request, [this, request, era = envelope.era, given, after](const Infos& runs) {
    auto next = runs.begin();
    if (given) {
      next = std::find_if(runs.begin(), runs.end(),
                          [&](const Json& info) { return text_member(info, "id") == after; });
      if (next == runs.end()) {
        refuse(request.id, kInvalidParams, "Invalid cursor: list again from the start");
        return;
      }
      ++next;
    }
    Json page = Json::array();
    if (!given) {
      page = script_resources(backend_.resources(), /*templates=*/false);
      if (backend_.has_page()) page.push_back(describe_page());
    }
    const std::size_t most = page.size() + kPageRuns;
    for (; next != runs.end() && page.size() < most; ++next) {
      page.push_back(describe_run(*next));
    }
    const std::string last =
        next == runs.end() ? std::string() : text_member(*std::prev(next), "id");
    answer(request, dialect(era).list("resources", std::move(page), last));
  });
}

void Server::list_resource_templates(const Request& request, const Envelope& envelope) {
  Json templates = script_resources(backend_.resources(), /*templates=*/true);
  const Json of_runs = run_templates();
  templates.insert(templates.begin(), of_runs.begin(), of_runs.end());
  answer(request, dialect(envelope.era).list("resourceTemplates", std::move(templates), ""));
}

void Server::read_resource(const Request& request, const Envelope& envelope) {
  const std::string* uri = find_text(request.params, "uri");
  if (uri == nullptr) {
    refuse(request.id, kInvalidParams, "uri must be a string: the resource to read");
    return;
  }
  if (const std::optional<RunAddress> run = run_address_of(*uri)) {
    read_run(request, envelope.era, *uri, *run);
  } else if (*uri == kPageUri && backend_.has_page()) {
    backend_.page("", content_for(request, envelope.era, *uri, "text/html"));
  } else if (request.params.contains("requestState") || backend_.has_resource(*uri)) {
    CallRequest call;
    call.kind = CallKind::kResource;
    call.tool = *uri;
    start_call(request, envelope, std::move(call));
  } else {
    resource_not_found(request, envelope.era, *uri);
  }
}

void Server::resource_not_found(const Request& request, Era era, const std::string& uri) {
  const std::string::size_type query = uri.find('?');
  const bool names_run = query != std::string::npos && run_address_of(uri.substr(0, query));
  const std::string text =
      "There is no resource " + uri +
      (names_run
           ? "; the output of a process, and nothing else, takes ?cursor=N, with a whole number"
           : "; resources/list names those that exist");
  const int code = dialect(era).resource_not_found();
  send(error_response(request.id, Fault{code, text, named_uri(uri)}), {&request.id, true, code});
}

void Server::answer_content(const Request& request, Era era, Json content) {
  answer(request, dialect(era).passing(Json{{"contents", Json::array({std::move(content)})}}));
}

void Server::read_run(const Request& request, Era era, const std::string& uri,
                      const RunAddress& address) {
  look_at_runs(request, [this, request, era, uri, address](const Infos& runs) {
    const auto info = std::find_if(runs.begin(), runs.end(), [&](const Json& each) {
      return text_member(each, "id") == address.run;
    });
    if (info == runs.end()) {
      resource_not_found(request, era, uri);
      return;
    }
    switch (address.part) {
      case RunPart::kSummary:
        answer_content(request, era, summary_of(*info, uri));
        return;
      case RunPart::kStdout:
      case RunPart::kStderr:
        answer_content(request, era, output_of(address, uri));
        return;
      case RunPart::kEvents:
        backend_.run_events("", address.run, kMostEvents,
                            content_for(request, era, uri, "application/json"));
        return;
    }
  });
}

// A run that waits in the queue has no output yet.
Json Server::summary_of(const Json& info, const std::string& uri) const {
  const Result<std::string> printed = backend_.excerpt(text_member(info, "id"), kExcerptTokens);
  const std::string text = run_text(info, printed ? *printed : std::string());
  return Json{{"uri", uri}, {"mimeType", "text/plain"}, {"text", text}};
}

Json Server::output_of(const RunAddress& address, const std::string& uri) const {
  const auto stream =
      address.part == RunPart::kStdout ? OutputStream::kStdout : OutputStream::kStderr;
  std::uint64_t cursor = address.cursor.value_or(0);
  if (!address.cursor) {
    constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
    const Result<OutputBytes> end = backend_.read_output(address.run, stream, kEnd, 0);
    if (end && end->next > kMostRunOutput) cursor = end->next - kMostRunOutput;
  }
  const Result<OutputBytes> read =
      backend_.read_output(address.run, stream, cursor, kMostRunOutput);
  return run_output(uri, read ? *read : OutputBytes{});
}

// Answers the request, unless it is cancelled first, with a text that comes later.
std::function<void(Result<std::string>)> Server::content_for(const Request& request, Era era,
                                                             const std::string& uri,
                                                             const char* mime_type) {
  const std::string key = id_key(request.id);
  looking_.insert(key);
  return [this, key, request, era, uri, mime_type,
          alive = std::weak_ptr<const int>(lifetime_)](const Result<std::string>& text) {
    if (alive.expired() || closed_ || looking_.erase(key) == 0) return;
    if (!text) {
      refuse(request.id, kInternalError, uri + " cannot be read now: " + text.status().message());
    } else if (text->size() > options_.max_line_bytes / 2) {
      refuse(request.id, kInternalError, "The resource is longer than clients accept");
    } else {
      answer_content(request, era, Json{{"uri", uri}, {"mimeType", mime_type}, {"text", *text}});
    }
  };
}

// Completes a variable of a run's template: its id, or the stream.
void Server::complete_run(const Request& request, const Envelope& envelope,
                          const std::string& variable, const std::string& typed) {
  const auto tell = [this, request, era = envelope.era,
                     typed](const std::vector<std::string>& known) {
    Json values = Json::array();
    std::size_t total = 0;
    for (const std::string& each : known) {
      if (each.compare(0, typed.size(), typed) != 0) continue;
      if (++total <= kMostSuggested) values.push_back(each);
    }
    const bool more = total > kMostSuggested;
    Json completion{{"values", std::move(values)}, {"total", total}, {"hasMore", more}};
    answer(request, dialect(era).result(Json{{"completion", std::move(completion)}}));
  };
  if (variable != "id") {
    tell(variable == "stream" ? std::vector<std::string>{"stdout", "stderr"}
                              : std::vector<std::string>());
    return;
  }
  look_at_runs(request, [tell](const Infos& runs) {
    std::vector<std::string> ids;
    for (const Json& info : runs) ids.push_back(text_member(info, "id"));
    tell(ids);
  });
}

std::string Server::resource_answer(const PendingCall& pending, const CallResult& result) const {
  const Dialect& speech = dialect(pending.era);
  if (!result.ok) {
    Fault fault = resource_fault(result, speech.resource_not_found());
    fault.data.update(named_uri(pending.tool));
    return error_response(pending.id, fault);
  }
  Parsed contents = parse_json(result.data);
  std::string line = response(pending.id, speech.passing(std::move(contents.value)));
  if (line.size() < options_.max_line_bytes) return line;
  return error_response(pending.id,
                        Fault{kInternalError, "The resource is longer than clients accept", {}});
}

bool Server::can_watch(const std::string& uri) const {
  if (uri == kPageUri) return backend_.has_page();
  const std::optional<RunAddress> address = run_address_of(uri);
  // Only whether the run exists matters here, not its text.
  return address ? backend_.excerpt(address->run, 0).ok() : backend_.has_resource(uri);
}

void Server::subscribe(const Request& request, const Envelope& envelope) {
  const std::string* uri = find_text(request.params, "uri");
  if (uri == nullptr) {
    refuse(request.id, kInvalidParams, "uri must be a string: the resource to subscribe to");
    return;
  }
  const std::optional<RunAddress> address = run_address_of(*uri);
  const bool is_here = can_watch(*uri);
  if (!address || is_here) return watch(request, envelope.era, *uri, is_here);
  // It may wait in the queue.
  look_at_runs(request, [this, request, era = envelope.era, uri = *uri,
                         run = address->run](const Infos& runs) {
    const bool exists = std::any_of(
        runs.begin(), runs.end(), [&](const Json& each) { return text_member(each, "id") == run; });
    watch(request, era, uri, exists);
  });
}

void Server::watch(const Request& request, Era era, const std::string& uri, bool exists) {
  if (!exists) {
    resource_not_found(request, era, uri);
    return;
  }
  if (legacy_watched_.size() >= options_.max_watched && legacy_watched_.count(uri) == 0) {
    refuse(request.id, kInternalError,
           std::to_string(options_.max_watched) + " resources are subscribed to: end one first");
    return;
  }
  legacy_watched_.insert(uri);
  watch_outputs();
  answer(request, Json::object());
}

void Server::unsubscribe(const Request& request, const Envelope&) {
  const std::string* uri = find_text(request.params, "uri");
  if (uri == nullptr) {
    refuse(request.id, kInvalidParams, "uri must be a string: the resource to unsubscribe from");
    return;
  }
  legacy_watched_.erase(*uri);
  watch_outputs();
  answer(request, Json::object());
}

void Server::run_changed(const Event& event) {
  const Parsed parsed = parse_json(event.json);
  const std::string* run = parsed.value.is_object() ? find_text(parsed.value, "run") : nullptr;
  if (run == nullptr) return;
  const bool is_new = event.name == "run_started" || event.name == "run_adopted";
  if (is_new) list_changed(List::kResources);
  resource_updated(run_uri(*run));
  resource_updated(run_uri(*run, RunPart::kEvents));
  resource_updated(kPageUri);
}

// Call after what is subscribed to has changed.
void Server::watch_outputs() {
  std::set<std::string> uris = legacy_watched_;
  for (const auto& [key, subscription] : subscriptions_)
    uris.insert(subscription.wanted.uris.begin(), subscription.wanted.uris.end());
  outputs_.watch(uris, backend_);
}

void Server::resource_updated(const std::string& uri) {
  if (legacy_watched_.count(uri) != 0) send(legacy_.resource_updated(uri), {});
  for (const auto& [key, subscription] : subscriptions_) {
    if (subscription.wanted.uris.count(uri) == 0) continue;
    send(modern_.resource_updated(subscription.id, uri), {&subscription.id});
  }
}

}  // namespace gibbous::mcp
