// TlsSession: the client's side of one TLS connection, without its socket: bytes of the peer in,
// bytes for the peer out. HttpProbe uses it. Loop thread only.
//
// Any certificate of a loopback address, or of a port that is mapped to a run, is trusted;
// elsewhere what the authorities of this machine have signed, whose list is read at the first such
// try.
#pragma once

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include <memory>
#include <string>
#include <string_view>

namespace gibbous {

// Reads the certificate authorities of this machine, which takes milliseconds; null: there are
// none.
std::shared_ptr<mbedtls_x509_crt> load_authorities();

class TlsSession {
 public:
  // `host`: the name that the peer is asked for, or "". `request` is sent once the connection is
  // secure. Without `authorities` any certificate will do: the peer is this machine.
  TlsSession(const std::string& host, std::string request,
             std::shared_ptr<mbedtls_x509_crt> authorities);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Takes what the peer sent; first "". Adds to `plain` what it says. Returns what is wrong, or "".
  std::string advance(std::string_view received, std::string* plain);
  // Returns what must be sent to the peer now.
  std::string take_output();

 private:
  int set_up(const std::string& host);
  int step(std::string* plain);

  std::string request_;  // what is left of it
  std::shared_ptr<mbedtls_x509_crt> authorities_;
  std::string input_;
  std::string output_;
  int error_ = 0;  // of the set-up
  bool secure_ = false;
  mbedtls_ssl_context ssl_{};
  mbedtls_ssl_config config_{};
  mbedtls_entropy_context entropy_{};
  mbedtls_ctr_drbg_context random_{};
};

}  // namespace gibbous
