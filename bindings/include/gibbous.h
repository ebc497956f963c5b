/* gibbous.h: the C interface of Gibbous, for every language that can call C.
 *
 * A runtime owns scripts (Lua), runs (child processes and their output) and one keeper process. It
 * never blocks its caller, installs no signal handler, calls no function of the host and keeps no
 * thread that the host would notice. Several runtimes in one process are independent.
 *
 * One queue instead of callbacks: foreign function interfaces call back slowly, or not at all from
 * compiled code, and a queue cannot be reentered. The host calls gib_poll() when gib_fd() is
 * readable or gib_next_timeout() has passed, and then takes messages with gib_next() until there
 * are none:
 *
 *     gib_budget budget = {.size = sizeof budget, .wall_us = 2000};
 *     gib_message message = {.size = sizeof message};
 *     gib_poll(runtime, &budget);
 *     while (gib_next(runtime, &message) == 1) handle(&message);
 *
 * Threads. A runtime belongs to the thread that created it; gib_post(), gib_abi(), gib_version()
 * and gib_has() may be called on any thread.
 *
 * No call is undefined. A function that must not be carried out changes nothing and returns a code:
 * on another thread, in a forked child, after the end, with NULL, and with a handle that was
 * destroyed. What a struct or a text should have been, gib_error() says.
 *
 * Loops. gib_fd() becomes readable by what happens outside this thread. A call of the host's own,
 * such as gib_call() or gib_reply(), makes gib_next_timeout() 0: ask it before each wait.
 *
 * Libraries. This one uses the LuaJIT, libuv, SQLite and RE2 that it finds in the process. A
 * program that exports the functions of another Lua loads it with RTLD_DEEPBIND; gib_create() says
 * so.
 *
 * Text is UTF-8 and ends with NUL; JSON texts are objects of at most 8 MiB. In what the host passes
 * an unknown member is an error. In messages, members may be added: ignore those you do not know.
 * Every pointer that a function returns is borrowed; each function says until when.
 *
 * Structs begin with their size, which the host sets; later versions add members at the end, and a
 * zero there means what it meant before. Every symbol of this library is declared here.
 */
#ifndef GIBBOUS_H
#define GIBBOUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GIB_API __attribute__((visibility("default")))
#else
#define GIB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: the high half changes when a program that was built for it would
 * no longer work, the low half when something is added. */
#define GIB_ABI 0x00010002u

typedef struct gib_runtime gib_runtime; /* a handle; never dereferenced, never reused */

/* What functions return: 0 or more when they were carried out, otherwise one of these. */
typedef enum gib_code {
  GIB_OK = 0,
  GIB_CLOSED = -1,       /* gib_close(), gib_hand_over() or gib_destroy() was called */
  GIB_WRONG_THREAD = -2, /* another thread created the runtime */
  GIB_FORKED = -3,       /* another process did, and this one is a child of it */
  GIB_INVALID = -4,      /* an argument is wrong; gib_error() names it */
  GIB_NOT_FOUND = -5,    /* no such call, token, tool, function or run */
  GIB_FAILED = -6,       /* it did not work out; gib_error() says why */
  GIB_NO_MEMORY = -7,
  GIB_REENTRANT = -8 /* reserved: nothing here is called from inside the library */
} gib_code;

/* The kinds of messages; what their JSON holds. */
typedef enum gib_kind {
  /* The end of a call: exactly one for each. {"ok", "text", "data"?, "structured"?, "content"?,
   * "backlog"?, "reported"?} or, with ok false, {"ok", "code", "message", "text"?, "traceback"?,
   * "data"?, "content"?, "backlog"?, "reported"?}. "content" is a list of MCP's content blocks, for
   * results with more than text (CallResult::content in gibbous/runtime.h). */
  GIB_RESULT = 1,
  /* Of a call that wants it: {"progress", "total"?, "message", "waiting"?: true}; with "waiting" it
   * is the runtime's report that the call waits (gibbous::Progress in gibbous/runtime.h). */
  GIB_PROGRESS = 2,
  /* Something happened without a call: {"event": its name, "session", "run"?, ...}; the names are
   * at gibbous::Event in gibbous/runtime.h. {"event": "events_dropped", "count"}: the host took no
   * messages for too long. */
  GIB_EVENT = 3,
  /* The policy asks: {"id", "session", "tool", "arguments", "effect", "reason", "rule", "file",
   * "line", "command", "commands", "mode", "workspace", "rules", "may_approve_rules", "prefix"}.
   * Answer with gib_reply(): {"allow", "reason"?, "remember"?: "once" | "session" | "always",
   * "about"?: "command" | "rule" | "prefix", "lasts_s"?, "who"?}, or {"no_approver": true}, because
   * no person can be asked. */
  GIB_ASK = 4,
  /* A tool of the host, or one of its functions, is called: {"tool" or "function", "arguments",
   * "session"}. Answer with gib_reply(): {"text"?, "data"?} for a tool, {"value"?} for a function,
   * or {"error": {"code", "message"}} for either. */
  GIB_HOST_CALL = 5,
  GIB_CANCELLED = 6, /* an ask, an input or a host call ended without its reply; the token is gone.
                      * {} */
  GIB_LOG = 7,       /* a script, or the runtime, logs: an event {"level", "message", ...} */
  GIB_CLOSED_DOWN = 8, /* the last message: nothing is left. {}, or {"problem": {"code", "message"}}
                        * with path_unanswered when a file system did not answer, and what may be
                        * missing in the journal and in logs */
  GIB_POSTED = 9,      /* what gib_post() was given */
  GIB_RUNS = 10,       /* the answer to gib_runs(): {"runs": [...]} */
  GIB_BACKLOG = 11,    /* the answer to gib_backlog(): {"events": [...]} */
  /* A script asks the client of a call (ask in Lua); only with the option `inputs`. {"id",
   * "session", "kind": "elicitation" (a form for a person) or "sampling" (a text of the client's
   * model), "params": MCP's params of elicitation/create or sampling/createMessage}. Answer with
   * gib_reply(): {"result": {"action": "accept" | "decline" | "cancel", "content"?}} for a form,
   * {"result": {"role", "content", "model", "stopReason"?}} for a text, or {"message"?: why},
   * because the client cannot be asked. */
  GIB_INPUT = 12
} gib_kind;

typedef struct gib_message {
  size_t size;  /* sizeof(gib_message), set by the host, with zeros in the rest */
  int32_t kind; /* gib_kind */
  int32_t reserved;
  int64_t call;     /* RESULT, PROGRESS, RUNS, BACKLOG: what gib_call() and its like returned;
                       ASK, INPUT, HOST_CALL: the call of this host that led to it, if there is one */
  uint64_t token;   /* ASK, INPUT, HOST_CALL, CANCELLED: for gib_reply() */
  const char* json; /* borrowed until the next gib_next(), gib_close() or gib_destroy() */
  size_t json_size; /* without the NUL */
} gib_message;

/* What one gib_poll() may take; zero means no limit. 64 KiB, 1 ms of Lua and 2 ms suit a program
 * that draws 60 frames a second. */
typedef struct gib_budget {
  size_t size;      /* sizeof(gib_budget), set by the host */
  uint64_t bytes;   /* child output to take in */
  uint64_t lua_us;  /* time inside scripts, in microseconds */
  uint64_t wall_us; /* start no new work after this long, in microseconds */
} gib_budget;

/* GIB_ABI of the library that is loaded. Compare its high half with the header's. */
GIB_API uint32_t gib_abi(void);
/* "0.2.0"; static. */
GIB_API const char* gib_version(void);
/* Returns 1 if the library has this feature: "tools", "functions", "read", "deadline", "asks",
 * "inputs", "resources", "prompts". */
GIB_API int gib_has(const char* feature);

/* Makes a runtime. `options` is NULL or a JSON object with the fields of gibbous::RuntimeOptions:
 *   mode, workspace, state_dir, session, sandbox, config_file, scripts_dir, policies_dir,
 *   keeper_path, share_dir, managed_dir: strings; toolsets, layers: lists of strings;
 *   secrets: an object of strings;
 *   files: an object of strings, the bytes of scripts/..., policies/... and config.lua by name;
 *   environment: an object of strings, what runs inherit in place of this process's environment;
 *   adopt_runs, keep_runs, claim_session, work_for_others, work_queue, watch_files, lazy_policy,
 *   all_parameters, inputs (whether questions of scripts come as GIB_INPUT; without it they get the
 *   error cannot_ask): booleans; min_concurrent: a number; lua_time_ms: a number;
 *   ask_wait_s, ask_keep_s: numbers;
 *   tools, functions: lists of what gib_tool_add() and gib_function_add() take.
 * Returns NULL when that fails, with a sentence in `error` (cut to `error_size` bytes with its NUL;
 * it may be NULL). The caller owns the handle: gib_destroy() it. Takes some 50 ms. */
GIB_API gib_runtime* gib_create(const char* options, char* error, size_t error_size);

/* Returns what a function would answer here and now: GIB_OK, GIB_CLOSED, GIB_WRONG_THREAD,
 * GIB_FORKED or, for NULL, GIB_INVALID. */
GIB_API int gib_check(const gib_runtime* runtime);
/* Says what was wrong with the last function that returned GIB_INVALID, GIB_NOT_FOUND, GIB_FAILED
 * or NULL; "" when nothing was. Borrowed until the next call of a function with this handle. */
GIB_API const char* gib_error(gib_runtime* runtime);

/* Starts a call: {"tool" or another target, "arguments"?: an object, "session"?, "progress"?: true,
 * "backlog"?: true, "timeout_ms"?: ends it with the code `timeout`, "priority"?: -100 to 100,
 * default 0: where there is more to do than the budget of gib_poll() allows, calls with a higher
 * one run first, and of the same one those that began first}. Returns its number, above 0; the
 * result comes as a message, exactly once.
 *
 * Instead of "tool" it may name what scripts offer besides tools; the result has "data" in MCP's
 * terms: {"resource": its URI}, without arguments: {"contents"}; {"prompt": its name}, whose
 * arguments are strings: {"description"?, "messages"}; {"prompt_completion": the prompt's name} and
 * {"resource_completion": the template}, with the arguments {"argument", "value": what was typed,
 * "arguments"?: the values of others}: {"values", "total", "hasMore"}. */
GIB_API int64_t gib_call(gib_runtime* runtime, const char* request);
/* Cancels a call and all that it started to get its answer. Its result still comes, with the code
 * `cancelled`. GIB_NOT_FOUND when it has ended. */
GIB_API int gib_cancel(gib_runtime* runtime, int64_t call);

/* Does what is due, within the budget (NULL: without one). Never waits. Returns 1 when more could
 * be done at once, else 0. Needed after gib_close(), too, until GIB_CLOSED_DOWN. */
GIB_API int gib_poll(gib_runtime* runtime, const gib_budget* budget);
/* For hosts without a loop of their own: waits until there is something to do, at most `ms`
 * milliseconds, and does it. Returns at once while messages wait. */
GIB_API int gib_wait(gib_runtime* runtime, int64_t ms);
/* A descriptor for select, poll or epoll that is readable when gib_poll() has something to do. It
 * belongs to the runtime: never read or close it. -1 when nothing is left of the runtime, or it is
 * not this thread's. */
GIB_API int gib_fd(gib_runtime* runtime);
/* The milliseconds after which gib_poll() is needed even if gib_fd() stays quiet; 0: now; -1:
 * never, or the runtime is not this thread's. */
GIB_API int64_t gib_next_timeout(gib_runtime* runtime);
/* Takes the next message. Returns 1; 0 when there is none; GIB_CLOSED after GIB_CLOSED_DOWN. */
GIB_API int gib_next(gib_runtime* runtime, gib_message* message);

/* Answers an ask, an input or a host call, now or later. What the JSON holds is said at GIB_ASK,
 * GIB_INPUT and GIB_HOST_CALL. GIB_NOT_FOUND when it was answered, or has ended. A reply that is
 * wrong (GIB_INVALID) leaves the token as it is. */
GIB_API int gib_reply(gib_runtime* runtime, uint64_t token, const char* json);
/* The open questions of every host of this user that has the same state directory, this one's, too:
 * {"asks": [{"id", "opened", "expires", "waits", "host", and the fields of GIB_ASK}]}, without
 * secrets. Waits for the disk. Borrowed until the next call of a function with this handle. NULL
 * when they cannot be read. */
GIB_API const char* gib_asks(gib_runtime* runtime);
/* Answers one of those, by its id or the beginning of one; the JSON is that of GIB_ASK. Its host
 * takes the first answer, a moment later. GIB_NOT_FOUND when it is not open: gib_error() says who
 * has answered it, and when. GIB_INVALID for an answer that it does not offer. */
GIB_API int gib_ask_answer(gib_runtime* runtime, const char* id, const char* json);
/* Tells the caller of a host tool how far it is: {"progress", "total"?, "message"?}. */
GIB_API int gib_progress(gib_runtime* runtime, uint64_t token, const char* json);

/* Adds a tool that the host carries out: {"name", "description", "permission": "read" | "write" |
 * "execute", "title"?, "input"?: JSON Schema, "output"?: JSON Schema, "structured"?: true,
 * "timeout_ms"?: 60000, 0: none}. It is one among those of the scripts: listed and called the same
 * way, judged by the same policy, and there after a reload. Its calls come as GIB_HOST_CALL.
 * Loads the scripts again: some 50 ms. GIB_FAILED when they refuse it. */
GIB_API int gib_tool_add(gib_runtime* runtime, const char* tool);
GIB_API int gib_tool_remove(gib_runtime* runtime, const char* name);
/* Adds a function that scripts call as host.NAME(args): {"name", "description", "permission",
 * "input"?, "output"?: a JSON Schema of its value, "timeout_ms"?}, as with gib_tool_add(). No
 * client sees it. Policies cannot call it: only functions of C++ hosts can be pure. */
GIB_API int gib_function_add(gib_runtime* runtime, const char* function);
GIB_API int gib_function_remove(gib_runtime* runtime, const char* name);
/* The tools of the moment as a JSON text. The format is "mcp", or the `tools` of a request to a
 * model's API: "openai" (chat completions), "openai-responses", "anthropic" or "gemini";
 * "openai-strict" and "openai-responses-strict" follow the rules of strict calls. Borrowed until
 * the next call of a function with this handle. NULL when refused. */
GIB_API const char* gib_tools(gib_runtime* runtime, const char* format);

/* What scripts offer besides tools at the moment, as MCP lists it: {"resources": [{"uri", "name",
 * "title"?, "description"?, "mimeType"?, "size"?, "annotations"?}], "templates": [{"uriTemplate",
 * ...}]} and {"prompts": [{"name", "title"?, "description"?, "arguments"?: [{"name", "title"?,
 * "description"?, "required"}]}]}. gib_call() reads one. Borrowed until the next call of a function
 * with this handle. NULL when refused. */
GIB_API const char* gib_resources(gib_runtime* runtime);
GIB_API const char* gib_prompts(gib_runtime* runtime);

/* Asks for the remembered runs of a session ("" or NULL: every one). Returns a number as gib_call()
 * does; the answer comes as GIB_RUNS. */
GIB_API int64_t gib_runs(gib_runtime* runtime, const char* session);
/* Asks for the events that a session's agent has not seen, which then count as delivered. The
 * answer comes as GIB_BACKLOG. */
GIB_API int64_t gib_backlog(gib_runtime* runtime, const char* session);
/* Reads raw output of a run: `stream` 1 is stdout, 2 is stderr. Copies at most `size` bytes from
 * *cursor on into `buffer`, sets *cursor to where the next read begins, and returns how many it
 * copied. 0: nothing at the moment, or, when *ended (which may be NULL) is 1, no more ever. Bytes
 * that are no longer kept are left out; *cursor jumps over them. A cursor beyond the end, such as
 * UINT64_MAX, becomes the end: it follows from now on. */
GIB_API int64_t gib_read(gib_runtime* runtime, const char* run, int stream, uint64_t* cursor,
                         char* buffer, size_t size, int* ended);

/* Loads scripts and policies again, now. GIB_FAILED: they are broken, and those before stay. */
GIB_API int gib_reload(gib_runtime* runtime);
/* What the runtime is: {"version", "mode", "session", "generation", "policy_error"}. Borrowed until
 * the next call of a function with this handle. NULL when refused. */
GIB_API const char* gib_info(gib_runtime* runtime);

/* Puts a JSON object into the queue, as GIB_POSTED, and makes gib_fd() readable. Any thread, but
 * not while another one destroys the runtime. gib_close() drops what was not polled by then. */
GIB_API int gib_post(gib_runtime* runtime, const char* json);

/* Ends every run and cancels every call. Go on polling until GIB_CLOSED_DOWN: each call gets its
 * result before, each open token its GIB_CANCELLED. That takes milliseconds; two or three seconds
 * where a file system does not answer. */
GIB_API int gib_close(gib_runtime* runtime);
/* For a process that is about to exit: hands the runs over to the keeper, which ends those that are
 * not detached, and returns at once. The calls go on to exist, without an end, until gib_close() or
 * gib_destroy(). */
GIB_API int gib_hand_over(gib_runtime* runtime);
/* Frees the handle, in any state; closes first, and waits for that: milliseconds, but seconds while
 * another process locks the journal (5 s were measured), the disk does not answer, or scripts that
 * have changed are being read. GIB_WRONG_THREAD and GIB_FORKED change nothing. A second time is
 * GIB_CLOSED. */
GIB_API int gib_destroy(gib_runtime* runtime);

#ifdef __cplusplus
}
#endif

#endif
