import { describe, expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import { recoveredAfter } from '../support/recovered-after.ts';
import { recoverState, saveState } from '../support/state.ts';

test.each([
  ['sockets', 'import socket; socket.setdefaulttimeout(3)', 'socket.getdefaulttimeout()', '3.0'],
  ['the arguments', 'import sys; sys.argv = ["train", "--fast"]', 'sys.argv', "['train', '--fast']"],
  [
    'logging',
    'import logging; logging.basicConfig(level=10, format="%(levelname)s: %(message)s"); log = logging.getLogger("app"); log.setLevel(30)',
    'logging.root.level, log.level, len(logging.root.handlers), logging.root.handlers[0].formatter._fmt',
    "(10, 30, 1, '%(levelname)s: %(message)s')",
  ],
])('brings back settings of %s', async (_of, code, check, shown) => {
  const { kernel, lost } = await recoveredAfter(code);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run(check)).shown).toBe(shown);
});

test('a handler that logged to stderr does so again', async () => {
  const { kernel } = await recoveredAfter(
    'import logging; logging.basicConfig(format="%(message)s"); log = logging.getLogger()',
  );
  await using _kernel = kernel;
  expect((await kernel.run('log.warning("seen")')).stderr).toBe('seen\n');
});

const { python, missing } = await pythonWithPackages('plots');

describe.skipIf(missing)(`libraries${missing ? `: ${missing}` : ''}`, { timeout: 120_000 }, () => {
  test.each([
    [
      'numpy',
      'import numpy as np; np.set_printoptions(precision=2); _ = np.seterr(divide="raise")',
      '(str(np.array([1.23456])), np.geterr()["divide"])',
      "('[1.23]', 'raise')",
    ],
    [
      'matplotlib',
      'import matplotlib.pyplot as plt; plt.rcParams["figure.figsize"] = (3, 2); plt.rc("lines", linewidth=4)',
      'plt.rcParams["figure.figsize"], plt.rcParams["lines.linewidth"]',
      '([3.0, 2.0], 4.0)',
    ],
    [
      'the way plots are drawn',
      'import matplotlib.pyplot as plt; plt.switch_backend("svg")',
      'plt.get_backend()',
      "'svg'",
    ],
  ])('brings back settings of %s', async (_of, code, check, shown) => {
    await using saved = await openKernel('python', { config: { python } });
    expect((await saved.run(code)).error).toBeUndefined();
    const archive = await saveState(saved.kernel);
    await using kernel = await openKernel('python', { config: { python } });
    expect((await recoverState(kernel.kernel, { archive })).lost).toEqual([]);
    expect((await kernel.run(check)).shown).toBe(shown);
  });
});

test.each([
  ['a function of a module', 'import json\njson.dumps = lambda value: "mine"', 'json.dumps'],
  [
    'a function of a module, by one that says it is the same',
    'import functools, json\n@functools.wraps(json.dumps)\ndef mine(value): return "mine"\njson.dumps = mine',
    'json.dumps',
  ],
  [
    'a method of a class of a module',
    'import argparse\nargparse.Namespace.mine = lambda self: 1',
    'argparse.Namespace.mine',
  ],
  ['a built-in function', 'import builtins\nbuiltins.print = print_ = lambda *parts: None', 'builtins.print'],
  ['a new built-in name', '__builtins__.answer = 42', 'builtins.answer'],
  ['a signal handler', 'import signal\n_ = signal.signal(signal.SIGUSR1, lambda *_: None)', '(signal handlers)'],
  [
    'a handler of logging that cannot be made again',
    'import logging\nclass Own(logging.Handler): pass\nlogging.root.addHandler(Own())',
    '(logging)',
  ],
])('a change of %s is reported as lost', async (_of, code, name) => {
  const { kernel, lost } = await recoveredAfter(code);
  await using _kernel = kernel;
  expect(lost).toEqual([name]);
});

test.each([
  ['sys.argv.append("a")', '(arguments)'],
  ['go()', '(socket timeout)'],
])('after a later step that ran %s, %s is lost', async (later, name) => {
  const before = 'import decimal, logging, socket, sys, warnings\nkept = [1]\ndef go(): socket.setdefaulttimeout(3)';
  const { kernel, lost } = await recoveredAfter(before, later);
  await using _kernel = kernel;
  expect(lost).toEqual([name]);
});

test.each([
  ['sys.argv = ["a"]', ['(arguments)']],
  ['os.environ["K"] = "v"', ['(environment)']],
  ['json.answer = 42', ['json.answer']],
  ['change()', ['json.answer']],
  ['del json.dumps', ['json.dumps']],
  ['json.decoder.own = 1', ['json.decoder.own']],
  ['json.dumps = len\nfrom json import dumps', ['dumps', 'json.dumps']],
  ['json.dumps = len\nclass Own: v = json.dumps', ['Own', 'json.dumps']],
])('after a later step that ran %j, each module is still there, and lost are %j', async (later, names) => {
  const { kernel, lost } = await recoveredAfter('import json, os, sys\ndef change(): json.answer = 42', later);
  await using _kernel = kernel;
  expect(lost).toEqual(names);
  expect((await kernel.run('json, os, sys')).error).toBeUndefined();
});

test('code that may use a replaced function of a module may change any value', async () => {
  const before = 'import json\nitems = [1]\ndef mine(text): items.append(text)';
  const { kernel, lost } = await recoveredAfter(before, 'json.loads = mine', 'items = [2]', 'json.loads("1")');
  await using _kernel = kernel;
  expect(lost).toEqual(['items', 'json.loads']);
});

test('a step that runs again has the context variables and the settings of steps', async () => {
  const before = 'import contextvars, decimal\ndecimal.getcontext().prec = 5';
  await using saved = await openKernel('python');
  await saved.run(before);
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  const code = 'third = decimal.Decimal(1) / 3; decimal.getcontext().prec = 9';
  await recoverState(kernel.kernel, { archive, steps: [{ code, replay: true }] });
  expect((await kernel.run('third, decimal.getcontext().prec')).shown).toBe("(Decimal('0.33333'), 9)");
});

test.each([
  ['the snapshot', 'from __future__ import annotations', 'x = 1'],
  ['a later step', 'x = 1', 'from __future__ import annotations'],
])('a feature of the language that %s turned on stays on', async (_of, before, later) => {
  const { kernel, lost } = await recoveredAfter(before, later, 'def g(x: int): pass');
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run('def f(x: Nope): pass\ng.__annotations__, f.__annotations__')).shown).toBe(
    "({'x': 'int'}, {'x': 'Nope'})",
  );
});
