import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { manifestOf, recoverState, saveState } from '../support/state.ts';

const before = [
  'import os, sys, tempfile; os.chdir(tempfile.mkdtemp()); sys.path.insert(0, "")',
  'open("helper.py", "w").write("state = []\\ntable = {}\\nclass K: v = 0\\nclass Conf: debug = False\\nconf = Conf()\\n"); import helper as h',
  'import json, builtins; from collections import OrderedDict\nclass Own: items = []',
];

test.each([
  ['json.answer = 42', ['json.answer']],
  ['json.dumps = lambda value: "mine"', ['json.dumps']],
  ['json.dumps = json.dump', ['json.dumps']],
  ['json.encoder.x += 1 if False else 0', []],
  ['json.decoder.JSONDecoder.own = 1', ['json.decoder.JSONDecoder.own']],
  ['setattr(json, "answer", 42)', ['json.answer']],
  ['def change(): json.answer = 42\nchange()', ['json.answer']],
  ['def change(): json.answer = 42', []],
  ['builtins.shout = print', ['builtins.shout']],
  ['h.state.append(1); h.table["k"] = 2; h.K.v = 3; h.conf.debug = True; h.new = lambda: 1', []],
  ['h.held = (n for n in ())', ['helper.held']],
  ['del h.conf', ['helper.conf']],
  ['sys.path.append("/x"); os.environ["K"] = "v"', []],
  ['import math; print(f"math.pi = {math.pi}")  # math.pi = 3', []],
  ['import typing\ndef f(a: typing.Optional[int] = None): x: typing.List[int] = []', []],
  ['def visit(json): json.answer = 42\nvisit(Own())', []],
  ['old = json.dumps; json.dumps = len; json.dumps = old; sys.stdout = sys.stderr', []],
  ['before = json.decoder.NaN; json.decoder.NaN = 1; json.decoder.NaN = before', []],
  ['json.decoder.NaN = 1', ['json.decoder.NaN']],
  ['del json.dumps', ['json.dumps']],
  ['if True:\n  try: json.answer, n = 42, 1\n  finally: pass', ['json.answer']],
  ['Own.n = 1; Own.items.append(2); own = Own(); own.m = 1', []],
  ['OrderedDict.update(OrderedDict(), a=1); same = json.dumps == 1', []],
])('a snapshot after %j lists what steps have set in modules: %j', async (code, set) => {
  await using kernel = await openKernel('python');
  for (const step of before) expect((await kernel.run(step)).error).toBeUndefined();
  await kernel.run(code);
  const { notSaved } = manifestOf(await saveState(kernel.kernel));
  expect(notSaved.map(({ name }) => name)).toEqual(set);
});

test('a replay goes on after a module was changed, in steps that do not use that', async () => {
  await using saved = await openKernel('python');
  for (const code of [...before, 'json.answer = 42']) await saved.run(code);
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  const steps = [{ code: 'try: n = int("3")\nexcept ValueError: pass', replay: true }];
  expect(await recoverState(kernel.kernel, { archive, steps })).toMatchObject({ replayed: ['n'], stopped: null });
});

test('a module that a step changed is listed after thousands of changes of values', async () => {
  await using kernel = await openKernel('python');
  await kernel.run('import json; json.answer = 42\nclass Own: pass\nown = Own()');
  await kernel.run(Array.from({ length: 3000 }, (_, i) => `own.part${i} = ${i}`).join('\n'));
  const { notSaved } = manifestOf(await saveState(kernel.kernel));
  expect(notSaved.map(({ name }) => name)).toEqual(['json.answer']);
});

test('a state that was saved while json.dumps is replaced comes back without that', async () => {
  await using saved = await openKernel('python');
  await saved.run("import json; json.dumps = lambda *a: 'no'; v = 1");
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  const { lost } = await recoverState(kernel.kernel, { archive });
  expect(lost.map(({ name }) => name)).toEqual(['json.dumps']);
  expect((await kernel.run('(v, json.dumps([1]))')).shown).toBe("(1, '[1]')");
});

test('the replay stops before a step that uses what was set in a module', async () => {
  await using saved = await openKernel('python');
  for (const code of [...before, 'json.answer = 42', 'def read(): return json.answer']) await saved.run(code);
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  const stepId = newId('stp');
  const steps = [
    { code: 'm = json.loads("1")', replay: true },
    { code: 'n = read()', replay: true, stepId },
  ];
  const { stopped } = await recoverState(kernel.kernel, { archive, steps });
  expect(stopped).toEqual({ stepId, reason: 'the step uses json.answer, which is lost' });
});

const own = `
state = []
def add(x): state.append(x); return len(state)
class K:
    def count(self): state.append(0); return 1
`;

test.each([
  ['add(1)', ['state'], ['mine', 'n']],
  ['h.add(1)', ['state'], ['mine', 'n']],
  ['k.count()', ['k', 'state'], ['mine', 'n']],
  ['later()', ['state'], ['mine', 'n']],
  ['print(state)', [], ['items', 'k', 'mine', 'n', 'state']],
  ['items.append(1)', ['items'], ['k', 'mine', 'n', 'state']],
])(
  'after a step that ran %j, by code of a module of the user, %j are lost and %j are not',
  async (code, lost, kept) => {
    await using saved = await openKernel('python');
    const steps = [
      before[0] as string,
      `open("helper.py", "w").write(${JSON.stringify(own)})`,
      'import helper as h; from helper import add, state, K\nk = K(); n = 1; items = [1]; mine = (1, "a")\ndef later(): return add(3)',
    ];
    for (const step of steps) expect((await saved.run(step)).error).toBeUndefined();
    const archive = await saveState(saved.kernel);
    await using kernel = await openKernel('python');
    const report = await recoverState(kernel.kernel, { archive, steps: [{ code }] });
    expect(report.lost.map(({ name }) => name)).toEqual(expect.arrayContaining(lost));
    expect(report.restored).toEqual(expect.arrayContaining(kept));
  },
);

test('a step that runs again and sets a part of a module is noticed by the next snapshot', async () => {
  await using kernel = await openKernel('python');
  const { lost } = await recoverState(kernel.kernel, {
    steps: [{ code: 'import json; json.answer = 42', replay: true }],
  });
  expect({ lost, shown: (await kernel.run('json.answer')).shown }).toEqual({ lost: [], shown: '42' });
  expect(manifestOf(await saveState(kernel.kernel)).notSaved.map(({ name }) => name)).toEqual(['json.answer']);
});
