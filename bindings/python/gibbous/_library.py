"""Finds and loads libgibbous, declares its functions, and checks that its interface fits. Any thread."""

import ctypes
import os
import threading
from pathlib import Path

from .errors import LibraryError

# GIB_ABI of the gibbous.h that this package was written for.
ABI = 0x00010002
SYSTEM_NAME = 'libgibbous.so.0'
BUNDLED = Path(__file__).parent / '_lib' / 'libgibbous.so'
# Where `./dev install` puts it; the system's loader does not look there.
OF_USER = Path(os.path.expanduser('~/.local/lib')) / SYSTEM_NAME


class Message(ctypes.Structure):
    """gib_message. `json` is a plain address, because the text is borrowed and must be copied."""
    _fields_ = [('size', ctypes.c_size_t), ('kind', ctypes.c_int32), ('reserved', ctypes.c_int32),
                ('call', ctypes.c_int64), ('token', ctypes.c_uint64), ('json', ctypes.c_void_p),
                ('json_size', ctypes.c_size_t)]


class CBudget(ctypes.Structure):
    """gib_budget."""
    _fields_ = [('size', ctypes.c_size_t), ('bytes', ctypes.c_uint64), ('lua_us', ctypes.c_uint64),
                ('wall_us', ctypes.c_uint64)]


_RUNTIME = ctypes.c_void_p
_TEXT = ctypes.c_char_p
_INT = ctypes.c_int
_LONG = ctypes.c_int64
_FUNCTIONS = {
    'gib_abi': (ctypes.c_uint32, []),
    'gib_version': (_TEXT, []),
    'gib_create': (_RUNTIME, [_TEXT, ctypes.c_char_p, ctypes.c_size_t]),
    'gib_check': (_INT, [_RUNTIME]),
    'gib_error': (_TEXT, [_RUNTIME]),
    'gib_call': (_LONG, [_RUNTIME, _TEXT]),
    'gib_cancel': (_INT, [_RUNTIME, _LONG]),
    'gib_poll': (_INT, [_RUNTIME, ctypes.POINTER(CBudget)]),
    'gib_fd': (_INT, [_RUNTIME]),
    'gib_next_timeout': (_LONG, [_RUNTIME]),
    'gib_next': (_INT, [_RUNTIME, ctypes.POINTER(Message)]),
    'gib_reply': (_INT, [_RUNTIME, ctypes.c_uint64, _TEXT]),
    'gib_asks': (_TEXT, [_RUNTIME]),
    'gib_ask_answer': (_INT, [_RUNTIME, _TEXT, _TEXT]),
    'gib_progress': (_INT, [_RUNTIME, ctypes.c_uint64, _TEXT]),
    'gib_tool_add': (_INT, [_RUNTIME, _TEXT]),
    'gib_tool_remove': (_INT, [_RUNTIME, _TEXT]),
    'gib_function_add': (_INT, [_RUNTIME, _TEXT]),
    'gib_function_remove': (_INT, [_RUNTIME, _TEXT]),
    'gib_tools': (_TEXT, [_RUNTIME, _TEXT]),
    'gib_resources': (_TEXT, [_RUNTIME]),
    'gib_prompts': (_TEXT, [_RUNTIME]),
    'gib_runs': (_LONG, [_RUNTIME, _TEXT]),
    'gib_backlog': (_LONG, [_RUNTIME, _TEXT]),
    'gib_read': (_LONG, [_RUNTIME, _TEXT, _INT, ctypes.POINTER(ctypes.c_uint64), ctypes.c_char_p,
                         ctypes.c_size_t, ctypes.POINTER(_INT)]),
    'gib_reload': (_INT, [_RUNTIME]),
    'gib_info': (_TEXT, [_RUNTIME]),
    'gib_post': (_INT, [_RUNTIME, _TEXT]),
    'gib_close': (_INT, [_RUNTIME]),
    'gib_destroy': (_INT, [_RUNTIME]),
}

_loaded: dict[str, ctypes.CDLL] = {}
_loading = threading.Lock()


def check_abi(loaded: int, name: str, version: str) -> None:
    """Raises LibraryError unless a library with this GIB_ABI has all that this package uses."""
    same_kind = loaded >> 16 == ABI >> 16
    if same_kind and loaded >= ABI:
        return
    older = 'library' if loaded < ABI else 'Python package'
    raise LibraryError(f'{name} (Gibbous {version}) has interface {_shown(loaded)}, and this Python package needs '
                       f'{_shown(ABI)}: install a newer {older}, or both of the same release')


def _shown(abi: int) -> str:
    return f'{abi >> 16}.{abi & 0xffff}'


def _open(name: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise LibraryError(f'{name} cannot be loaded: {error}') from error
    if not hasattr(library, 'gib_abi'):
        raise LibraryError(f'{name} is not libgibbous: it has no gib_abi()')
    library.gib_abi.restype = ctypes.c_uint32
    library.gib_version.restype = _TEXT
    check_abi(library.gib_abi(), name, library.gib_version().decode())
    for function, (result, arguments) in _FUNCTIONS.items():
        declared = getattr(library, function, None)
        if declared is None:
            raise LibraryError(f'{name} has no {function}(): install a newer library')
        declared.restype = result
        declared.argtypes = arguments
    return library


def load(path: str | os.PathLike[str] | None = None) -> ctypes.CDLL:
    """Returns libgibbous: at `path`, else the one in this package, in ~/.local, or of the system. Loads each one once.

    Raises LibraryError when it cannot be loaded, or does not fit this package.
    """
    if path is not None:
        name = os.path.abspath(os.fspath(path))
        if not os.path.isfile(name):
            raise LibraryError(f'library: there is no file {name}')
    else:
        name = next((str(each) for each in (BUNDLED, OF_USER) if each.is_file()), SYSTEM_NAME)
    with _loading:
        if name not in _loaded:
            try:
                _loaded[name] = _open(name)
            except LibraryError as error:
                if path is not None or name != SYSTEM_NAME:
                    raise
                raise LibraryError(f'{error}. Install a wheel that includes libgibbous, install Gibbous itself, or '
                                   'name the file: Runtime(library="…/libgibbous.so")') from error
        return _loaded[name]


def version(library: str | os.PathLike[str] | None = None) -> str:
    """Returns the version of libgibbous, such as "0.2.0". Raises LibraryError as load() does."""
    text: bytes = load(library).gib_version()
    return text.decode()
