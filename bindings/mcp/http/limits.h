// Every limit of the HTTP transport, so that clients, known or not, cost the process a bounded
// amount. Plain values.
#pragma once

#include <chrono>
#include <cstddef>

#include "bindings/stdio/line_splitter.h"
#include "runtime/base/clock.h"

namespace gibbous::mcp::http {

struct Limits {
  std::size_t connections = 4096;
  std::size_t connections_of_one = 2048;  // token, where there are several
  std::size_t exchanges = 4096;  // modern requests in progress, and calls that wait for an answer
  std::size_t sessions = 2048;   // of legacy clients

  std::size_t head_bytes = std::size_t{16} * 1024;
  std::size_t head_fields = 100;
  std::size_t body_bytes = stdio::kMaxLineBytes;
  std::size_t all_body_bytes = std::size_t{64} * 1024 * 1024;
  // Where there are several tokens, those of one of them that are being received.
  std::size_t body_bytes_of_one = std::size_t{32} * 1024 * 1024;
  // Framing of a chunked body, on top of the body.
  std::size_t chunking_bytes = std::size_t{1} * 1024 * 1024;

  // Bytes that a client has not read: above the first, optional messages are dropped; above the
  // second, the connection is closed.
  std::size_t congested_bytes = std::size_t{1} * 1024 * 1024;
  std::size_t unsent_bytes = std::size_t{11} * 1024 * 1024;
  std::size_t all_unsent_bytes = std::size_t{128} * 1024 * 1024;
  // Where there are several tokens, all connections of one together leave so much unread; beyond
  // it, they are closed.
  std::size_t unsent_bytes_of_one = std::size_t{64} * 1024 * 1024;

  // Messages that a client of a legacy session can come back for.
  std::size_t history_bytes = std::size_t{256} * 1024;
  std::size_t all_history_bytes = std::size_t{64} * 1024 * 1024;
  Nanos history_time = std::chrono::minutes(5);

  // What a client may take for the head and for the body of a request, to read anything at all of
  // what waits for it, and between two requests.
  Nanos head_time = std::chrono::seconds(10);
  Nanos body_time = std::chrono::seconds(60);
  Nanos read_time = std::chrono::seconds(30);
  Nanos idle_time = std::chrono::minutes(2);
  // For the last bytes of a client whose request was refused.
  Nanos drain_time = std::chrono::seconds(2);

  // An answer that takes longer becomes a stream, in which comments keep the connection open.
  Nanos stream_after = std::chrono::seconds(1);
  Nanos keep_alive = std::chrono::seconds(25);

  // A legacy session without a stream or a request ends after this.
  Nanos session_time = std::chrono::hours(1);
  // Between two looks for such sessions.
  Nanos sweep_time = std::chrono::minutes(1);
};

}  // namespace gibbous::mcp::http
