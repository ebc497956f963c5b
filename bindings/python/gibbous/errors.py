"""The exceptions of this package. Every one of them is a GibbousError."""

from typing import Any


class GibbousError(Exception):
    """The base of all exceptions of this package; also raised itself when something did not work out."""


class LibraryError(GibbousError):
    """libgibbous is missing, or its interface is not the one that this package was written for."""


class ClosedError(GibbousError, RuntimeError):
    """The runtime was closed, or was never started."""


class WrongThreadError(GibbousError, RuntimeError):
    """Another thread started the runtime. On this one, only post() may be called."""


class ForkedError(GibbousError, RuntimeError):
    """The runtime belongs to the parent of this process, or this process was forked while the parent had one."""


class InvalidArgument(GibbousError, ValueError):
    """An argument is wrong; the message names it and says what was expected."""


class NotFound(GibbousError, LookupError):
    """There is no such run or tool."""


class ToolError(GibbousError):
    """A call that failed; raise it in a tool of your own to fail with a code.

    `code` is a stable word in small letters, digits and _, such as `denied`, `timeout` or `run_not_found`. `message`
    says what happened and what to do. `text`, `data` and `traceback` are what else the failed call had.
    """

    def __init__(self, code: str, message: str, *, text: str = '', data: dict[str, Any] | None = None,
                 traceback: str = '') -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.text = text
        self.data = data
        self.traceback = traceback

    def __str__(self) -> str:
        return f'{self.code}: {self.message}'
