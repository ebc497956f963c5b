#!/usr/bin/env python3
"""Definitions of tools from type hints and docstrings, and values from JSON. Needs no runtime."""

import dataclasses
import enum
import unittest
from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import support
from support import gibbous
from gibbous.schema import schema_of, value_of


class Colour(enum.Enum):
    RED = 'red'
    BLUE = 'blue'


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Place(TypedDict):
    path: str
    line: NotRequired[int]


@dataclasses.dataclass
class Tree:
    children: list['Tree']


class Schemas(unittest.TestCase):
    def test_each_supported_type_has_a_schema(self):
        point = {'type': 'object', 'required': ['x'], 'additionalProperties': False,
                 'properties': {'x': {'type': 'integer'}, 'y': {'type': 'integer', 'default': 0}}}
        place = {'type': 'object', 'required': ['path'], 'additionalProperties': False,
                 'properties': {'path': {'type': 'string'}, 'line': {'type': 'integer'}}}
        for hint, expected in [
            (str, {'type': 'string'}), (int, {'type': 'integer'}), (float, {'type': 'number'}),
            (bool, {'type': 'boolean'}), (None.__class__, {'type': 'null'}), (Any, {}),
            (list, {'type': 'array'}), (list[int], {'type': 'array', 'items': {'type': 'integer'}}),
            (dict, {'type': 'object'}), (dict[str, Any], {'type': 'object'}),
            (dict[str, int], {'type': 'object', 'additionalProperties': {'type': 'integer'}}),
            (Literal['a', 'b'], {'type': 'string', 'enum': ['a', 'b']}),
            (Literal['a', 1], {'type': ['integer', 'string'], 'enum': ['a', 1]}),
            (Colour, {'type': 'string', 'enum': ['red', 'blue']}),
            (Optional[str], {'type': ['string', 'null']}), (str | int, {'type': ['string', 'integer']}),
            (list[int] | None, {'anyOf': [{'type': 'array', 'items': {'type': 'integer'}}, {'type': 'null'}]}),
            (Annotated[int, 'how many', {'minimum': 1}], {'type': 'integer', 'description': 'how many', 'minimum': 1}),
            (Point, point), (Place, place), (list[Point], {'type': 'array', 'items': point}),
        ]:
            with self.subTest(hint):
                self.assertEqual(schema_of(hint, 'it'), expected)

    def test_a_type_without_schema_is_named_with_its_place_and_what_to_use(self):
        for hint, named in [(datetime, 'it: datetime'), (set[int], r'it: set\[int\]'), (bytes, 'it: bytes'),
                            (list[datetime], r'it\[\]: datetime'), (dict[int, str], r'it: dict\[int, str\]'),
                            (tuple[int, int], 'it: tuple'), (Tree, r'it.children\[\]: Tree contains itself')]:
            with self.subTest(hint), self.assertRaisesRegex(gibbous.UnsupportedType, named):
                schema_of(hint, 'it')

    def test_json_becomes_values_of_the_type(self):
        for hint, json, expected in [
            (float, 1, 1.0), (int, 2.0, 2), (Colour, 'red', Colour.RED), (Point, {'x': 1}, Point(1, 0)),
            (list[Point], [{'x': 1, 'y': 2}], [Point(1, 2)]), (dict[str, Point], {'a': {'x': 1}}, {'a': Point(1)}),
            (Optional[Point], None, None), (Point | Place, {'path': 'a'}, {'path': 'a'}),
            (Point | str, {'x': 3}, Point(3)), (Annotated[Colour, 'it'], 'blue', Colour.BLUE), (int | bool, True, True),
        ]:
            with self.subTest(hint):
                value = value_of(hint, json)
                self.assertEqual((value, type(value)), (expected, type(expected)))

    def test_json_that_does_not_fit_is_refused(self):
        for hint, json in [(int, 1.5), (int, float('inf')), (int, True), (str, 1), (Point, {'y': 1}),
                           (Point, {'x': 1, 'z': 1}), (Literal[1], True), (list[int], {}), (Colour, 'green')]:
            with self.subTest(hint), self.assertRaises(ValueError):
                value_of(hint, json)


class Definitions(unittest.TestCase):
    def test_a_docstring_describes_the_tool_and_its_parameters(self):
        @gibbous.tool(permission='read', title='Open', timeout=1.5)
        def open_buffer(path: str, line: int = 1, ctx: gibbous.Context | None = None) -> str:
            """Shows a file
            in the editor.

            A second paragraph: with a colon.

            Args:
                path: of the file,
                    relative to the workspace
                line (int): where to begin

            Returns:
                nothing: of interest
            """
            return path

        definition = open_buffer.definition
        self.assertEqual(definition['name'], 'open_buffer')
        self.assertEqual(definition['description'],
                         'Shows a file in the editor.\n\nA second paragraph: with a colon.')
        properties = definition['input']['properties']
        self.assertEqual(properties['path']['description'], 'of the file, relative to the workspace')
        self.assertEqual(properties['line'], {'type': 'integer', 'default': 1, 'description': 'where to begin'})
        self.assertEqual(list(properties), ['path', 'line'])
        self.assertEqual((definition['permission'], definition['title'], definition['timeout_ms']),
                         ('read', 'Open', 1500))
        self.assertEqual(open_buffer('still a function'), 'still a function')

    def test_sphinx_fields_describe_parameters_too(self):
        @gibbous.tool
        def find(word: str, most: int = 5):
            """Finds.

            :param word: what to find
            :param int most: how many
            :returns: a list
            """

        properties = find.definition['input']['properties']
        self.assertEqual([each['description'] for each in properties.values()], ['what to find', 'how many'])
        self.assertEqual(find.definition['description'], 'Finds.')
        self.assertEqual(find.definition['permission'], 'execute')

    def test_a_type_that_is_returned_becomes_the_output_schema(self):
        @gibbous.tool
        def where() -> Place:
            """Says where."""
            return {'path': 'a'}

        self.assertEqual(where.definition['output']['required'], ['path'])

    def test_a_method_of_an_object_is_a_tool(self):
        class Editor:
            def show(self, path: str) -> None:
                """Shows a file."""

        self.assertEqual(list(gibbous.tool(Editor().show).definition['input']['properties']), ['path'])

    def test_what_cannot_be_a_tool_is_refused_with_the_parameter(self):
        def no_hint(path):
            """A"""

        def stars(*paths: str):
            """A"""

        def keywords(**paths: str):
            """A"""

        def positional(path: str, /):
            """A"""

        def unsupported(when: datetime):
            """A"""

        def undescribed(path: str):
            pass

        def unknown(path: 'Nowhere'):  # noqa: F821
            """A"""

        for function, named in [(no_hint, 'no_hint.path'), (stars, r'stars.paths: \*paths'),
                                (keywords, r'keywords.paths: \*\*paths'), (positional, 'positional.path'),
                                (unsupported, 'unsupported.when: datetime'), (undescribed, 'docstring'),
                                (unknown, 'Nowhere'), (7, 'expected a function')]:
            with self.subTest(named), self.assertRaisesRegex((gibbous.InvalidArgument, TypeError), named):
                gibbous.tool(function)


if __name__ == '__main__':
    support.main()
