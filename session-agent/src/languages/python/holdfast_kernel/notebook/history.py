"""Holds the inputs and the shown values of steps under the names that IPython gives them: `In`, `_i`, `_i1`, `Out`, `_`, `_1` and so on."""

import re

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
        before = self._add_input(number, code)
        if not self._shift(_last_inputs, before):
            given = self._given
            self._give({'_i': before, '_ii': given['_i'], '_iii': given['_ii']})
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

    def _add_input(self, number, code):
        """Adds an input to both lists and returns the one before it."""
        inputs, raw_inputs = self.inputs, self.raw_inputs
        if len(inputs) == len(raw_inputs) == number:
            inputs.append(code)
            raw_inputs.append(code)
        else:
            for some in (inputs, raw_inputs):
                some.extend([''] * (number - len(some)))
                some[number : number + 1] = [code]
        return raw_inputs[number - 1]

    def _shift(self, names, newest):
        """Gives the first of three names this value and each other one the value of the one before it, if no step has bound one of them."""
        # Every step comes by, and straight code takes half of the time of any loop over three names.
        namespace, given = self._namespace, self._given
        first, second, third = names
        last, earlier, earliest = given[first], given[second], given[third]
        if (
            namespace.get(first, last) is not last
            or namespace.get(second, earlier) is not earlier
            or namespace.get(third, earliest) is not earliest
        ):
            return False
        namespace[first] = given[first] = newest
        namespace[second] = given[second] = last
        namespace[third] = given[third] = earlier
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
