/* A host in C99 with an epoll loop of its own. It runs a command, prints its output while it comes,
 * offers a tool of its own, and calls that as a model would.
 *
 *     epoll_host [COMMAND]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "gibbous.h"

/* What this small host remembers. A real one has a JSON library; here two searches are enough. */
struct host {
  gib_runtime* runtime;
  int64_t start; /* the call of bg_start */
  int64_t note;  /* the call of our own tool */
  char run[32];
  uint64_t cursor;
  int ended;
  int noted;
};

/* Copies the string member `name` of a JSON text; "" when there is none. */
static void member(const char* json, const char* name, char* into, size_t size) {
  char key[64];
  into[0] = '\0';
  snprintf(key, sizeof key, "\"%s\":\"", name);
  const char* at = strstr(json, key);
  if (at == NULL) return;
  at += strlen(key);
  const size_t length = strcspn(at, "\"");
  if (length >= size) return;
  memcpy(into, at, length);
  into[length] = '\0';
}

/* Writes text as a JSON string. Returns 0 when it does not fit. */
static int quoted(const char* text, char* into, size_t size) {
  size_t used = 0;
  into[used++] = '"';
  for (; *text != '\0'; ++text) {
    const unsigned char byte = (unsigned char)*text;
    if (used + 8 > size) return 0;
    if (byte < 0x20 || byte == '"' || byte == '\\') {
      used += (size_t)snprintf(into + used, size - used, "\\u%04x", byte);
    } else {
      into[used++] = (char)byte;
    }
  }
  into[used++] = '"';
  into[used] = '\0';
  return 1;
}

static void print_output(struct host* host) {
  char bytes[4096];
  int64_t size;
  while (host->run[0] != '\0' && !host->ended &&
         (size = gib_read(host->runtime, host->run, 1, &host->cursor, bytes, sizeof bytes,
                          &host->ended)) > 0) {
    fwrite(bytes, 1, (size_t)size, stdout);
  }
}

static void take(struct host* host, const gib_message* message) {
  switch (message->kind) {
    case GIB_RESULT:
      if (message->call == host->start) member(message->json, "id", host->run, sizeof host->run);
      if (message->call == host->note) host->noted = 1;
      printf("[result %lld] %s\n", (long long)message->call, message->json);
      break;
    case GIB_HOST_CALL:
      /* It could be answered at any later time. */
      printf("[host call] %s\n", message->json);
      gib_reply(host->runtime, message->token, "{\"text\":\"noted\"}");
      break;
    case GIB_ASK:
      printf("[ask] %s\n", message->json);
      gib_reply(host->runtime, message->token,
                "{\"allow\":false,\"reason\":\"this host has nobody to ask\"}");
      break;
    default:
      break; /* events, logs, ... */
  }
}

/* Waits for the runtime, or for what else an epoll loop waits for, and takes its messages. */
static int turn(struct host* host, int loop) {
  struct epoll_event event;
  const int64_t next = gib_next_timeout(host->runtime);
  const int limit = next < 0 ? -1 : next > 60000 ? 60000 : (int)next;
  if (epoll_wait(loop, &event, 1, limit) < 0 && errno != EINTR) return -1;
  const gib_budget budget = {
      .size = sizeof budget, .bytes = 65536, .lua_us = 1000, .wall_us = 2000};
  if (gib_poll(host->runtime, &budget) < 0) return -1;
  gib_message message = {.size = sizeof message};
  int taken;
  while ((taken = gib_next(host->runtime, &message)) == 1) take(host, &message);
  print_output(host);
  return taken == GIB_CLOSED ? 0 : 1;
}

int main(int argc, char** argv) {
  char error[512];
  char command[4096];
  char request[4400];
  if (!quoted(argc > 1 ? argv[1] : "for i in 1 2 3; do echo line $i; sleep 0.1; done", command,
              sizeof command)) {
    fprintf(stderr, "epoll_host: the command is too long\n");
    return 2;
  }
  if (gib_abi() >> 16 != GIB_ABI >> 16) {
    fprintf(stderr, "epoll_host: libgibbous has another interface\n");
    return 2;
  }
  struct host host = {0};
  host.runtime = gib_create(
      "{\"mode\":\"auto\",\"tools\":[{\"name\":\"note\",\"description\":\"Takes a note.\","
      "\"permission\":\"write\",\"input\":{\"type\":\"object\",\"properties\":{\"text\":"
      "{\"type\":\"string\"}},\"required\":[\"text\"]}}]}",
      error, sizeof error);
  if (host.runtime == NULL) {
    fprintf(stderr, "epoll_host: %s\n", error);
    return 1;
  }
  const int loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event interest = {.events = EPOLLIN};
  if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, gib_fd(host.runtime), &interest) < 0) {
    perror("epoll_host");
    return 1;
  }
  snprintf(request, sizeof request, "{\"tool\":\"bg_start\",\"arguments\":{\"command\":%s}}",
           command);
  host.start = gib_call(host.runtime, request);
  host.note = gib_call(host.runtime, "{\"tool\":\"note\",\"arguments\":{\"text\":\"hello\"}}");
  if (host.start < 0 || host.note < 0) {
    fprintf(stderr, "epoll_host: %s\n", gib_error(host.runtime));
    return 1;
  }
  while (!(host.ended && host.noted)) {
    if (turn(&host, loop) < 0) return 1;
  }
  gib_close(host.runtime);
  while (turn(&host, loop) == 1) {
  }
  gib_destroy(host.runtime);
  close(loop);
  printf("[closed]\n");
  return 0;
}
