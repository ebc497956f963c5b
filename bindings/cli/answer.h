// Results, errors, progress and questions as JSON on one line. Shared by `session` and every
// --json; pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "gibbous/runtime.h"

namespace gibbous::cli {

// One member of an object: "result":{"text":…,"data":{…}} or "error":{"code":…,"message":…}.
std::string result_member(const CallResult& result);
std::string error_member(std::string_view code, std::string_view message);
std::string progress_member(const Progress& progress);
std::string reload_member(const ReloadResult& result);
// "ask":{…}: the question. `call` is JSON text, the id that the client gave the call.
std::string ask_member(const AskRequest& request, std::string_view call);
// "input":{…}: what a script asks the client of that call.
std::string input_member(const InputRequest& request, std::string_view call);

// {"id":<id>,<member>}; without an id {<member>}. `id` is JSON text.
std::string answer_line(std::string_view id, std::string_view member);

// Replaces line ends between the values of JSON text.
std::string on_one_line(std::string json);

}  // namespace gibbous::cli
