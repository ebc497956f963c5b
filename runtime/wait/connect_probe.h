// ConnectProbe: tries to reach a host and port again and again until it can. HttpProbe: does so
// until an HTTP server there answers with the wanted status. HTTP conditions use it, and port
// conditions where PortProber cannot look. Loop thread only.
//
// An HTTP try has 2 s, and twice as long after each that took longer, up to 30 s: a development
// server may compile before its first page.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/runs/deadlines.h"
#include "runtime/wait/address.h"
#include "runtime/wait/http_status_parser.h"
#include "runtime/wait/http_url.h"
#include "runtime/wait/tcp_connection.h"

struct mbedtls_x509_crt;
struct uv_loop_s;

namespace gibbous {

class OpenHandles;
class Resolver;
class TlsSession;

// What probes need; must outlive them.
struct ProbeContext {
  uv_loop_s* loop;
  const Clock& clock;
  Deadlines& deadlines;
  OpenHandles& handles;
};

// Returns the addresses of "" and "localhost" (both loopbacks) and of literals, where 0.0.0.0 and
// :: mean the loopback of their family; none for a name that has to be resolved.
std::vector<Address> known_addresses(const std::string& host);

class ConnectProbe : private TcpEvents {
 public:
  struct Reached {
    Address address;
    int status = 0;  // HTTP
  };
  // The loop calls it; nullopt: the last try has failed as well.
  using OnDone = std::function<void(std::optional<Reached>)>;

  ConnectProbe(const ProbeContext& context, std::string host, int port, OnDone on_done);
  ~ConnectProbe() override;
  ConnectProbe(const ConnectProbe&) = delete;
  ConnectProbe& operator=(const ConnectProbe&) = delete;

  void start();
  // Makes one more try, or finishes the current one, and then calls on_done with any outcome.
  void finish();
  // The error of the last try; "" before one has ended.
  const std::string& trouble() const { return trouble_; }

 protected:
  // Called when connected. An error is libuv's. This class needs nothing more and calls success().
  virtual int on_open(TcpConnection& connection);
  void on_bytes(std::string_view bytes) override;
  void success(int status);
  // Ends this try after `limit` from now.
  void limit_try(Millis limit);
  void failure(std::string trouble, bool cheap);
  // The address of the current connection.
  const Address& address() const { return addresses_[next_address_ - 1]; }

  void on_end(int error) override;

 private:
  void on_connected() override;
  void begin_try();
  void resolve();
  void try_address();
  void try_timed_out();
  void end_try();

  ProbeContext context_;
  std::string host_;
  int port_;
  OnDone on_done_;
  std::vector<Address> addresses_;
  std::size_t next_address_ = 0;
  TcpConnection* connection_ = nullptr;
  Resolver* resolver_ = nullptr;
  Deadlines::Token retry_ = 0;
  Deadlines::Token limit_ = 0;
  Millis pause_;
  Millis try_limit_;
  std::string trouble_;
  bool finishing_ = false;
};

// Succeeds only if the connection stays open: a port forwarder accepts connections before the
// server exists, and closes them soon. While a container's network comes up, that takes as long as
// the kernel looks for a neighbour, until one connection was closed.
class ForwardedProbe final : public ConnectProbe {
 public:
  // `settled`: the network has been up for a while.
  ForwardedProbe(const ProbeContext& context, std::string host, int port, bool settled,
                 OnDone on_done);
  ~ForwardedProbe() override { context_.deadlines.cancel(open_); }

 private:
  int on_open(TcpConnection& connection) override;
  void on_bytes(std::string_view bytes) override;
  void on_end(int error) override;

  ProbeContext context_;
  Millis stays_open_;
  Deadlines::Token open_ = 0;
};

// Over TLS, the certificate of a loopback address, or of a port that is mapped to a run, need not
// be trusted: it is one's own.
class HttpProbe final : public ConnectProbe {
 public:
  // status 0: any from 200 to 399. `mapped`: the URL leads to a port that is mapped to a run.
  HttpProbe(const ProbeContext& context, const HttpUrl& url, int status, bool mapped,
            OnDone on_done);
  // Sends this request instead of a GET.
  HttpProbe(const ProbeContext& context, const HttpUrl& url, std::string request, OnDone on_done);
  ~HttpProbe() override;

 private:
  int on_open(TcpConnection& connection) override;
  void on_bytes(std::string_view bytes) override;

  // Reads what the peer says; false: the try has failed.
  bool decrypt(std::string_view received, std::string* plain);

  HttpUrl url_;
  std::string request_;
  int wanted_;
  bool mapped_ = false;
  std::shared_ptr<mbedtls_x509_crt> authorities_;  // once they were needed
  std::unique_ptr<TlsSession> tls_;
  TcpConnection* secured_ = nullptr;  // while tls_ is in use
  HttpStatusParser parser_;
};

}  // namespace gibbous
