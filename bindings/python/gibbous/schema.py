"""From type hints to JSON Schema, and from JSON to values of those types. Any thread."""

import collections.abc
import dataclasses
import enum
import types
import typing
from typing import Any, Literal, Union

from .errors import GibbousError

Schema = dict[str, Any]

_PLAIN: dict[Any, str] = {str: 'string', int: 'integer', float: 'number', bool: 'boolean', type(None): 'null'}
_LISTS = (list, collections.abc.Sequence)
_DICTS = (dict, collections.abc.Mapping)
_SUPPORTED = ('str, int, float, bool, None, list, dict with keys of str, Literal, Optional, Union, Enum, TypedDict, '
              'dataclass, Any and Annotated')


class UnsupportedType(GibbousError, TypeError):
    """A type hint has no JSON Schema; the message names the parameter and the type."""


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """One named part of an object: a field of a dataclass, a key of a TypedDict."""
    type: Any
    required: bool
    default: Any = None


def members_of(hint: Any) -> dict[str, Member] | None:
    """Returns the parts of a dataclass or TypedDict, and None for other types."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint, include_extras=True)
        missing = dataclasses.MISSING
        return {field.name: Member(hints[field.name],
                                   field.default is missing and field.default_factory is missing,
                                   None if field.default is missing else field.default)
                for field in dataclasses.fields(hint) if field.init}
    if typing.is_typeddict(hint):
        members = {}
        for name, each in typing.get_type_hints(hint, include_extras=True).items():
            required = name in hint.__required_keys__
            if typing.get_origin(each) in (typing.Required, typing.NotRequired):
                required = typing.get_origin(each) is typing.Required
                each = typing.get_args(each)[0]
            members[name] = Member(each, required)
        return members
    return None


def object_schema(members: dict[str, Member], place: str, inside: tuple[Any, ...] = ()) -> Schema:
    """Returns the schema of an object with exactly these members; `place` is how errors name it."""
    properties = {}
    for name, member in members.items():
        made = schema_of(member.type, f'{place}.{name}' if place else name, inside)
        default = member.default.value if isinstance(member.default, enum.Enum) else member.default
        if isinstance(default, (str, int, float)):  # a default of None says no more than "not required"
            made['default'] = default
        properties[name] = made
    schema: Schema = {'type': 'object', 'properties': properties, 'additionalProperties': False}
    required = [name for name, member in members.items() if member.required]
    if required:
        schema['required'] = required
    return schema


def schema_of(hint: Any, place: str, inside: tuple[Any, ...] = ()) -> Schema:
    """Returns the schema of a type. Raises UnsupportedType, which names the place and the type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return {}
    if isinstance(hint, type) and hint in _PLAIN:
        return {'type': _PLAIN[hint]}
    if origin is typing.Annotated:
        return _annotated(schema_of(arguments[0], place, inside), hint.__metadata__, place)
    if origin is Literal:
        return _choices(list(arguments), place)
    if origin in (Union, types.UnionType):
        return _union([schema_of(each, place, inside) for each in arguments])
    if hint in _LISTS or origin in _LISTS:
        items = schema_of(arguments[0], f'{place}[]', inside) if arguments else {}
        return {'type': 'array'} | ({'items': items} if items else {})
    if hint in _DICTS or origin in _DICTS:
        if arguments and arguments[0] is not str:
            raise _unsupported(hint, place)
        values = schema_of(arguments[1], f'{place}.*', inside) if arguments else {}
        return {'type': 'object'} | ({'additionalProperties': values} if values else {})
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choices([each.value for each in hint], place)
    members = members_of(hint)
    if members is None:
        raise _unsupported(hint, place)
    if hint in inside:
        raise UnsupportedType(f'{place}: {_name(hint)} contains itself, which is not supported')
    return object_schema(members, place, (*inside, hint))


def value_of(hint: Any, value: Any) -> Any:
    """Returns the value of a type that JSON stands for. Raises ValueError when it does not fit the type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return value
    if isinstance(hint, type) and hint in _PLAIN:
        return _plain(hint, value)
    if origin is typing.Annotated:
        return value_of(arguments[0], value)
    if origin is Literal:
        return _only(value, any(value == each and type(value) is type(each) for each in arguments))
    if origin in (Union, types.UnionType):
        return _first_that_fits(arguments, value)
    if hint in _LISTS or origin in _LISTS:
        each = arguments[0] if arguments else Any
        return [value_of(each, item) for item in _only(value, isinstance(value, list))]
    if hint in _DICTS or origin in _DICTS:
        each = arguments[1] if arguments else Any
        return {name: value_of(each, item) for name, item in _only(value, isinstance(value, dict)).items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    return _object(hint, members_of(hint) or {}, _only(value, isinstance(value, dict)))


def _plain(hint: Any, value: Any) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is float:
        return float(_only(value, is_number))
    if hint is int:  # JSON has 1.0 for 1
        return int(_only(value, is_number and value % 1 == 0))  # false for infinity
    return _only(value, isinstance(value, hint))


def _object(hint: Any, members: dict[str, Member], value: dict[str, Any]) -> Any:
    _only(value, all(name in value or not member.required for name, member in members.items()))
    _only(value, all(name in members for name in value))
    made = {name: value_of(members[name].type, item) for name, item in value.items()}
    return made if typing.is_typeddict(hint) else hint(**made)


def _first_that_fits(hints: tuple[Any, ...], value: Any) -> Any:
    for hint in hints:
        try:
            return value_of(hint, value)
        except ValueError:
            continue
    raise ValueError(value)


def _only(value: Any, fits: bool) -> Any:
    if not fits:
        raise ValueError(value)
    return value


def _annotated(schema: Schema, notes: tuple[Any, ...], place: str) -> Schema:
    for note in notes:
        if isinstance(note, str):
            schema['description'] = note
        elif isinstance(note, dict):
            schema |= note
        else:
            raise UnsupportedType(f'{place}: Annotated takes a description or a dict of JSON Schema, got {note!r}')
    return schema


def _choices(values: list[Any], place: str) -> Schema:
    if not all(type(each) in (str, int, bool, type(None)) for each in values):
        raise UnsupportedType(f'{place}: expected choices of str, int, bool or None, got {values!r}')
    kinds = sorted({_PLAIN[type(each)] for each in values})
    return {'type': kinds[0] if len(kinds) == 1 else kinds, 'enum': values}


def _union(branches: list[Schema]) -> Schema:
    if all(list(each) == ['type'] and isinstance(each['type'], str) for each in branches):
        return {'type': [each['type'] for each in branches]}
    return {'anyOf': branches}


def _name(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint)


def _unsupported(hint: Any, place: str) -> UnsupportedType:
    return UnsupportedType(f'{place}: {_name(hint)} is not supported; use {_SUPPORTED}')
