"""Holds the inputs and the shown values of steps under the names that IPython gives them: `In`, `_i`, `_i1`, `Out`, `_`, `_1` and so on."""

import re
from _operator import is_

from ..agent import interrupt

shown_max = 1000
inputs_characters_max = 16 * 1024 * 1024
_last_names = ('_', '__', '___')
_last_inputs = ('_i', '_ii', '_iii')
_numbered = re.compile(r'\b_(i?)([1-9]\d*)\b')
_none = object()

interrupt.protect(__file__)


class History:
    """Holds these names in the namespace of the steps. A step may bind them itself, and its values stay.

    The numbered names come into the namespace with the first step that mentions them, since every step looks through all names at its end.

    `inputs` has the Python that ran, `raw_inputs` the code of the steps as it came, and `outputs` the shown values, each by step number.
    """

    def __init__(self, namespace):
        self.inputs, self.raw_inputs, self.outputs = [''], [''], {}
        self._namespace = namespace
        self._given = {}
        self._characters = 0
        self._oldest = 1
        self.restore()

    def restore(self):
        """Gives the lists their names, and the last values theirs unless a step has bound these."""
        self._give({'In': self.inputs, '_ih': self.inputs, 'Out': self.outputs, '_oh': self.outputs})
        for name in (*_last_names, *_last_inputs):
            if name not in self._namespace:
                self._give({name: self._given.get(name, '')})

    def note_input(self, number, code):
        """Records the code of a step that is about to run."""
        code = code.rstrip('\n')
        for inputs in (self.inputs, self.raw_inputs):
            inputs.extend([''] * (number - len(inputs)))
            inputs[number : number + 1] = [code]
        if not self._shift(_last_inputs, self.raw_inputs[number - 1]):
            given = self._given
            self._give({'_i': self.raw_inputs[number - 1], '_ii': given['_i'], '_iii': given['_ii']})
        if '_' in code:
            self._give_numbered(code)
        self._characters += len(code)
        while self._characters > inputs_characters_max and self._oldest < number:
            self._forget_input()

    def note_translation(self, number, python):
        self.inputs[number] = python.rstrip('\n')

    def note(self, number, value):
        """Records the value that the step of this number shows."""
        self._shift(_last_names, value)
        # `Out` does not contain itself.
        if value is not self.outputs:
            self.outputs[number] = value
        while len(self.outputs) > shown_max:
            self._forget(next(iter(self.outputs)))

    def forget_outputs(self):
        for number in list(self.outputs):
            self._forget(number)
        self._give(dict.fromkeys(_last_names, ''))

    def owns(self, name, value):
        """Whether a name holds this value because this class has put it there, and not because a step has bound it."""
        return self._given.get(name, _none) is value

    def _give_numbered(self, code):
        for kind, digits in _numbered.findall(code):
            number = int(digits[:9])
            if kind and number < len(self.raw_inputs):
                self._give({'_i' + digits: self.raw_inputs[number]})
            elif not kind and number in self.outputs:
                self._give({'_' + digits: self.outputs[number]})

    def _shift(self, names, newest):
        """Gives the first name this value and each other name the value of the one before it, if no step has bound one of them."""
        namespace, given = self._namespace, self._given
        before = list(map(given.get, names))
        # Every step comes by, so no Python code runs for each name.
        if not all(map(is_, map(namespace.get, names, before), before)):
            return False
        values = dict(zip(names, (newest, *before)))
        namespace.update(values)
        given.update(values)
        return True

    def _give(self, values):
        namespace, given = self._namespace, self._given
        for name, value in values.items():
            if self._is_free(name):
                namespace[name] = given[name] = value

    def _is_free(self, name):
        """Whether no step has bound this name."""
        given = self._given.get(name, _none)
        return self._namespace.get(name, given) is given

    def _forget(self, number):
        self._remove('_%d' % number)
        del self.outputs[number]

    def _forget_input(self):
        number, self._oldest = self._oldest, self._oldest + 1
        self._characters -= len(self.raw_inputs[number])
        self.inputs[number] = self.raw_inputs[number] = ''
        self._remove('_i%d' % number)

    def _remove(self, name):
        if name in self._namespace and self._is_free(name):
            del self._namespace[name]
        self._given.pop(name, None)
