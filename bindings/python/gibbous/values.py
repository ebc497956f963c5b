"""What goes in and comes out of a runtime, as plain immutable values. JSON objects are dicts."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

Path = str | os.PathLike[str]
Permission = Literal['read', 'write', 'execute']
ToolFormat = Literal['mcp', 'openai', 'openai-strict', 'openai-responses', 'openai-responses-strict', 'anthropic',
                     'gemini']


class Options(TypedDict, total=False):
    """The options of a runtime. One that is left out, or None, has its default."""
    mode: str  # permission mode: default, auto, plan, dangerous, ci, or a team's own; default: default
    workspace: Path  # where commands run; default: the current directory
    state_dir: Path  # for what outlives the process; default: $XDG_STATE_HOME/gibbous
    session: str  # the session of calls that name none; a name that ends with "@" gets the workspace
    sandbox: str  # the least sandbox of every run: none, workspace or readonly
    toolsets: Sequence[str]  # only these are loaded; default: bg and wait
    secrets: dict[str, str]  # values by the name that runs use; no log shows them
    config_file: Path  # a configuration in Lua
    layers: Sequence[str]  # of configuration: managed, user, project (docs/configuration.md); default: none
    managed_dir: Path  # the managed layer, owned by root; default: /etc/gibbous
    scripts_dir: Path  # scripts of your own, with an init.lua
    policies_dir: Path  # policies of your own, with an init.lua
    files: dict[str, str]  # scripts/..., policies/... and config.lua from memory, by name
    environment: dict[str, str]  # what runs inherit in place of this process's
    keeper_path: Path  # the program gibbous-keeper; default: that of the library's installation
    share_dir: Path  # the scripts that ship with Gibbous; default: those of the library's installation
    adopt_runs: bool  # take over detached runs of earlier processes; default: True
    keep_runs: bool  # detached runs outlive this process; default: False
    claim_session: bool  # own the session: another process that claims it gets NAME#2; default: False
    work_for_others: bool  # execute queued runs of other sessions and workspaces; default: False
    work_queue: bool  # execute queued runs; default: True
    watch_files: bool  # load scripts again when they change; default: True
    lazy_policy: bool  # start 30 ms faster; the first call takes that much longer; default: False
    all_parameters: bool  # list every parameter of the tools; default: False
    ask_wait_s: int  # how long a call waits for a person's answer; default: as long as on_ask takes
    ask_keep_s: int  # how long a question stays open after its call was told to come again; default: 3600
    min_concurrent: int  # the least number of runs that may go on at the same time
    lua_time_ms: int  # the least time that a call may spend in scripts, in each minute


@dataclass(frozen=True, slots=True)
class Result:
    """How a call ended.

    `text` is for a model, and `data` has the same facts for programs. `content` is there for results with more than
    text: the whole result as MCP's content blocks, binary data as base64. With backlog=True, `backlog` has the events
    that the session's agent had not seen. When `ok` is False, `code` and `message` say why, and `traceback` where a
    script failed.
    """
    ok: bool
    text: str = ''
    data: dict[str, Any] = field(default_factory=dict)
    structured: bool = False  # the data is for models, too
    backlog: list[dict[str, Any]] = field(default_factory=list)
    code: str = ''
    message: str = ''
    traceback: str = ''
    content: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is: `progress` of `total`, if that is known.

    `waiting`: the runtime reports that the call waits, and `message` is the last line of the run that it waits for.
    """
    progress: float
    total: float | None = None
    message: str = ''
    waiting: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened without a call. `data` is the whole event, with `event`, `session` and `run`, too."""
    name: str
    session: str
    run: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of the policy: may this happen?

    Only `command` and `commands` are safe to print on a terminal: escape the rest, which may quote what a model wrote.
    """
    id: str
    session: str
    tool: str
    arguments: dict[str, Any]
    effect: str  # what was requested: call, start, stdin or kill
    reason: str  # why it asks, a sentence
    rule: str
    file: str  # where the rule is
    line: int  # in that file
    command: str  # '' when there is no command
    commands: list[str]  # what the command would run, as it was understood
    mode: str
    workspace: str
    rules: list[str] = field(default_factory=list)  # all that asks, `rule` first
    may_approve_rules: bool = False  # an answer about the rule counts for them
    prefix: str = ''  # as 'npm run *': what an answer about the prefix approves; '': it has none
    call: int = 0  # the number of the call of this program that led to the question; 0: there is none


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an Ask. True and False are short for Answer(True) and Answer(False)."""
    allow: bool
    reason: str = ''  # why it is refused, for the model
    remember: Literal['once', 'session', 'always'] = 'once'
    about: Literal['command', 'rule', 'prefix'] = 'command'  # this command, all that its rules ask about, or its prefix
    lasts: float = 0  # seconds that `always` lasts; 0: until it is revoked
    who: str = ''  # for the list of approvals


@dataclass(frozen=True, slots=True)
class Input:
    """What a script asks the client of a call (ask in Lua), in MCP's terms. Escape it before you print it.

    The answer to an elicitation is {'action': 'accept', 'content': {...}}, with what the form wants, or
    {'action': 'decline'} or {'action': 'cancel'}; to a sampling {'role': 'assistant', 'content': ..., 'model': ...}.
    """
    id: str
    session: str
    kind: Literal['elicitation', 'sampling']  # a form for a person, or a text of your model
    params: dict[str, Any]  # those of elicitation/create or sampling/createMessage
    call: int = 0  # the number of the call of this program that led to it


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool of your own may return when it has both a text for the model and data for programs."""
    text: str = ''
    data: dict[str, Any] | None = None
