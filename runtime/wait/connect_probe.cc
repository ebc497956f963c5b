// A try goes through the host's addresses until one accepts the connection; a pause follows a
// failed try. A try that reaches its time limit lengthens the next limit: a development server may
// compile for half a minute before its first page.
#include "runtime/wait/connect_probe.h"

#include <uv.h>

#include <algorithm>
#include <utility>

#include "runtime/base/open_handles.h"
#include "runtime/wait/resolver.h"
#include "runtime/wait/tls_session.h"

namespace gibbous {
namespace {

constexpr Millis kFirstPause{50};
constexpr Millis kLongestPause{200};
constexpr Millis kFirstTryLimit{2'000};
constexpr Millis kLongestTryLimit{30'000};
constexpr Millis kStaysOpen{300};
constexpr Millis kFirstStaysOpen{3'500};  // the kernel looks for a neighbour for 3 s
constexpr int kFirstGoodStatus = 200;
constexpr int kLastGoodStatus = 399;

}  // namespace

std::vector<Address> known_addresses(const std::string& host) {
  if (host.empty() || host == "localhost") {
    return {Address::loopback_v4(), Address::loopback_v6()};
  }
  const auto literal = Address::parse(host);
  if (!literal) return {};
  if (!literal->is_unspecified()) return {*literal};
  return {literal->v6 ? Address::loopback_v6() : Address::loopback_v4()};
}

ConnectProbe::ConnectProbe(const ProbeContext& context, std::string host, int port, OnDone on_done)
    : context_(context),
      host_(std::move(host)),
      port_(port),
      on_done_(std::move(on_done)),
      addresses_(known_addresses(host_)),
      pause_(kFirstPause),
      try_limit_(kFirstTryLimit) {}

ConnectProbe::~ConnectProbe() {
  end_try();
  context_.deadlines.cancel(retry_);
}

void ConnectProbe::start() {
  // The loop begins the try: it may end at once, and on_done must not come from inside start().
  retry_ = context_.deadlines.after(Nanos{0}, [this] { begin_try(); });
}

void ConnectProbe::finish() {
  if (finishing_) return;
  finishing_ = true;
  if (connection_ != nullptr || resolver_ != nullptr) return;
  context_.deadlines.cancel(retry_);
  start();
}

void ConnectProbe::begin_try() {
  retry_ = 0;
  next_address_ = 0;
  limit_ = context_.deadlines.after(finishing_ ? kFirstTryLimit : try_limit_,
                                    [this] { try_timed_out(); });
  if (addresses_.empty()) {
    resolve();
  } else {
    try_address();
  }
}

void ConnectProbe::resolve() {
  std::string trouble;
  resolver_ = Resolver::start(
      context_.loop, context_.handles, host_,
      [this](std::vector<Address> addresses, std::string why) {
        resolver_ = nullptr;
        addresses_ = std::move(addresses);
        if (addresses_.empty()) return failure(host_ + ": " + why, false);
        try_address();
      },
      trouble);
  if (resolver_ == nullptr) failure(host_ + ": " + trouble, false);
}

void ConnectProbe::try_address() {
  int error = 0;
  while (next_address_ < addresses_.size()) {
    const Address& address = addresses_[next_address_++];
    connection_ =
        TcpConnection::connect(context_.loop, context_.handles, address, port_, *this, error);
    if (connection_ != nullptr) return;
  }
  failure(uv_strerror(error), false);
}

void ConnectProbe::on_connected() {
  if (const int error = on_open(*connection_); error != 0) on_end(error);
}

int ConnectProbe::on_open(TcpConnection& connection) {
  (void)connection;
  success(0);
  return 0;
}

void ConnectProbe::on_bytes(std::string_view bytes) {
  (void)bytes;
}

void ConnectProbe::on_end(int error) {
  std::exchange(connection_, nullptr)->close();
  if (next_address_ < addresses_.size()) return try_address();
  failure(error == UV_EOF ? "closed the connection without an answer" : uv_strerror(error),
          error == UV_ECONNREFUSED);
}

void ConnectProbe::try_timed_out() {
  limit_ = 0;
  try_limit_ = std::min(try_limit_ * 2, kLongestTryLimit);
  failure("no answer in time", false);
}

void ConnectProbe::limit_try(Millis limit) {
  context_.deadlines.cancel(limit_);
  limit_ = context_.deadlines.after(limit, [this] { try_timed_out(); });
}

void ConnectProbe::end_try() {
  context_.deadlines.cancel(limit_);
  if (connection_ != nullptr) std::exchange(connection_, nullptr)->close();
  if (resolver_ != nullptr) std::exchange(resolver_, nullptr)->cancel();
}

void ConnectProbe::success(int status) {
  end_try();
  on_done_(Reached{address(), status});
}

// A `cheap` failure cost the server nothing, so the probe retries without backing off.
void ConnectProbe::failure(std::string trouble, bool cheap) {
  end_try();
  trouble_ = std::move(trouble);
  if (finishing_) return on_done_(std::nullopt);
  retry_ = context_.deadlines.after(pause_, [this] { begin_try(); });
  pause_ = cheap ? kFirstPause : std::min(pause_ * 2, kLongestPause);
}

ForwardedProbe::ForwardedProbe(const ProbeContext& context, std::string host, int port,
                               bool settled, OnDone on_done)
    : ConnectProbe(context, std::move(host), port, std::move(on_done)),
      context_(context),
      stays_open_(settled ? kStaysOpen : kFirstStaysOpen) {}

int ForwardedProbe::on_open(TcpConnection& connection) {
  limit_try(2 * stays_open_);
  context_.deadlines.cancel(open_);
  open_ = context_.deadlines.after(stays_open_, [this] {
    open_ = 0;
    success(0);
  });
  return connection.listen();
}

void ForwardedProbe::on_bytes(std::string_view bytes) {
  (void)bytes;
  context_.deadlines.cancel(open_);
  success(0);
}

void ForwardedProbe::on_end(int error) {
  if (open_ != 0) stays_open_ = kStaysOpen;
  context_.deadlines.cancel(open_);
  ConnectProbe::on_end(error);
}

HttpProbe::HttpProbe(const ProbeContext& context, const HttpUrl& url, int status, bool mapped,
                     OnDone on_done)
    : ConnectProbe(context, url.host, url.port, std::move(on_done)),
      url_(url),
      request_(url.request()),
      wanted_(status),
      mapped_(mapped) {}

HttpProbe::HttpProbe(const ProbeContext& context, const HttpUrl& url, std::string request,
                     OnDone on_done)
    : ConnectProbe(context, url.host, url.port, std::move(on_done)),
      url_(url),
      request_(std::move(request)),
      wanted_(0) {}

HttpProbe::~HttpProbe() = default;

int HttpProbe::on_open(TcpConnection& connection) {
  parser_ = HttpStatusParser();
  if (!url_.secure) return connection.exchange(request_);
  const bool own = mapped_ || address().is_loopback();
  if (!own && !authorities_) authorities_ = load_authorities();
  if (!own && !authorities_) {
    failure("this machine has no list of certificate authorities", false);
    return 0;
  }
  const bool named = !own || !Address::parse(url_.host);
  tls_ =
      std::make_unique<TlsSession>(named ? url_.host : "", request_, own ? nullptr : authorities_);
  secured_ = &connection;
  if (const int error = connection.listen(); error != 0) return error;
  std::string plain;
  (void)decrypt("", &plain);
  return 0;
}

bool HttpProbe::decrypt(std::string_view received, std::string* plain) {
  const std::string trouble = tls_->advance(received, plain);
  const int error = secured_->send(tls_->take_output());
  if (trouble.empty() && error == 0) return true;
  failure(trouble.empty() ? uv_strerror(error) : trouble, false);
  return false;
}

void HttpProbe::on_bytes(std::string_view bytes) {
  std::string plain;
  if (url_.secure) {
    if (!decrypt(bytes, &plain)) return;
    bytes = plain;
  }
  switch (parser_.feed(bytes)) {
    case HttpStatusParser::State::kMore:
      return;
    case HttpStatusParser::State::kWrong:
      return failure("the answer is not HTTP/1", false);
    case HttpStatusParser::State::kStatus:
      break;
  }
  const int status = parser_.status();
  const bool good =
      wanted_ == 0 ? status >= kFirstGoodStatus && status <= kLastGoodStatus : status == wanted_;
  if (good) return success(status);
  failure("status " + std::to_string(status), false);
}

}  // namespace gibbous
