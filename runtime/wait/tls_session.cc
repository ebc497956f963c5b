// Mbed TLS asks two callbacks for bytes: they read and write strings, and "nothing yet" is
// WANT_READ.
#include "runtime/wait/tls_session.h"

#include <mbedtls/error.h>
#include <mbedtls/version.h>
#if MBEDTLS_VERSION_MAJOR >= 3
#include <psa/crypto.h>
#endif

#include <array>
#include <utility>

namespace gibbous {
namespace {

constexpr const char* kAuthorities = "/etc/ssl/certs/ca-certificates.crt";

std::string tls_error(int error) {
  constexpr std::size_t kTextBytes = 160;
  std::array<char, kTextBytes> text{};
  mbedtls_strerror(error, text.data(), text.size());
  return std::string("TLS: ") + text.data();
}

}  // namespace

std::shared_ptr<mbedtls_x509_crt> load_authorities() {
  const std::shared_ptr<mbedtls_x509_crt> list(new mbedtls_x509_crt, [](mbedtls_x509_crt* each) {
    mbedtls_x509_crt_free(each);
    delete each;
  });
  mbedtls_x509_crt_init(list.get());
  // A positive number counts those that it cannot read.
  return mbedtls_x509_crt_parse_file(list.get(), kAuthorities) >= 0 ? list : nullptr;
}

TlsSession::TlsSession(const std::string& host, std::string request,
                       std::shared_ptr<mbedtls_x509_crt> authorities)
    : request_(std::move(request)), authorities_(std::move(authorities)) {
  mbedtls_ssl_init(&ssl_);
  mbedtls_ssl_config_init(&config_);
  mbedtls_entropy_init(&entropy_);
  mbedtls_ctr_drbg_init(&random_);
  error_ = set_up(host);
}

TlsSession::~TlsSession() {
  mbedtls_ssl_free(&ssl_);
  mbedtls_ssl_config_free(&config_);
  mbedtls_ctr_drbg_free(&random_);
  mbedtls_entropy_free(&entropy_);
}

int TlsSession::set_up(const std::string& host) {
#if MBEDTLS_VERSION_MAJOR >= 3
  if (psa_crypto_init() != PSA_SUCCESS) return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
#endif
  int failed = mbedtls_ctr_drbg_seed(&random_, mbedtls_entropy_func, &entropy_, nullptr, 0);
  if (failed != 0) return failed;
  failed = mbedtls_ssl_config_defaults(&config_, MBEDTLS_SSL_IS_CLIENT,
                                       MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  if (failed != 0) return failed;
  mbedtls_ssl_conf_rng(&config_, mbedtls_ctr_drbg_random, &random_);
  mbedtls_ssl_conf_authmode(&config_,
                            authorities_ ? MBEDTLS_SSL_VERIFY_REQUIRED : MBEDTLS_SSL_VERIFY_NONE);
  if (authorities_) mbedtls_ssl_conf_ca_chain(&config_, authorities_.get(), nullptr);
  const auto send = [](void* self, const unsigned char* bytes, std::size_t size) {
    static_cast<TlsSession*>(self)->output_.append(reinterpret_cast<const char*>(bytes), size);
    return static_cast<int>(size);
  };
  const auto receive = [](void* self, unsigned char* bytes, std::size_t size) {
    std::string& input = static_cast<TlsSession*>(self)->input_;
    const std::size_t count = input.copy(reinterpret_cast<char*>(bytes), size);
    input.erase(0, count);
    return count == 0 ? MBEDTLS_ERR_SSL_WANT_READ : static_cast<int>(count);
  };
  mbedtls_ssl_set_bio(&ssl_, this, send, receive, nullptr);
  failed = mbedtls_ssl_setup(&ssl_, &config_);
  return failed != 0 ? failed
                     : mbedtls_ssl_set_hostname(&ssl_, host.empty() ? nullptr : host.c_str());
}

// Goes on until it needs more bytes: returns WANT_READ, or what is wrong.
int TlsSession::step(std::string* plain) {
  if (!secure_) {
    if (const int failed = mbedtls_ssl_handshake(&ssl_); failed != 0) return failed;
    secure_ = true;
  }
  while (!request_.empty()) {
    const int sent = mbedtls_ssl_write(
        &ssl_, reinterpret_cast<const unsigned char*>(request_.data()), request_.size());
    if (sent < 0) return sent;
    request_.erase(0, static_cast<std::size_t>(sent));
  }
  for (;;) {
    std::array<unsigned char, 4096> buffer;
    const int count = mbedtls_ssl_read(&ssl_, buffer.data(), buffer.size());
    if (count == 0) return MBEDTLS_ERR_SSL_CONN_EOF;
#ifdef MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET
    if (count == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) continue;
#endif
    if (count < 0) return count;
    plain->append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(count));
  }
}

std::string TlsSession::advance(std::string_view received, std::string* plain) {
  if (error_ != 0) return tls_error(error_);
  input_ += received;
  const int outcome = step(plain);
  return outcome == MBEDTLS_ERR_SSL_WANT_READ || !plain->empty() ? "" : tls_error(outcome);
}

std::string TlsSession::take_output() {
  return std::exchange(output_, {});
}

}  // namespace gibbous
