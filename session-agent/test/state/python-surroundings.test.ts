import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, manifestOf, recoverState, saveState } from '../support/state.ts';

const before = [
  'import os, sys, random, random as dice, contextlib',
  'from os import chdir as go; from random import choice; env = os.environ; sample = [1]',
  'def leave(): os.chdir("/tmp")\ndef set_it(): env["K"] = "v"\ndef read_it(): return env["PATH"]\ndef roll(): return dice.randint(1, 6)',
  'def extend(): sys.path.append("/x")\ndef join(): return os.path.join(*sys.argv, "x")',
  'class Mover:\n  def move(self): leave(); return self',
  'mover = Mover(); generator = random.Random(1)',
  'import logging; log = logging.getLogger("mine")',
];

/** Saves after `before`, and recovers with these steps after it. Returns the surroundings that are lost. */
async function after(steps: LaterStep[]) {
  await using saved = await openKernel('python');
  for (const code of before) await saved.run(code);
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { archive, steps });
  const lost = report.lost.map(({ name }) => name).filter((name) => name.startsWith('('));
  return { kernel, report, lost: lost.sort() };
}

const directory = ['(working directory)'];
const environment = ['(environment)'];
const importPath = ['(import path)'];
const randomState = ['(random state)'];

test.each([
  ['os.chdir("/tmp")', directory],
  ['go("/tmp")', directory],
  ['leave()', directory],
  ['mover.move()', directory],
  ['with contextlib.chdir("/tmp"): pass', directory],
  ['%cd /tmp', directory],
  ['def later(): os.chdir("/tmp")', []],
  ['def later(): os.chdir("/tmp")\nlater()', directory],
  ['os.getcwd()', []],
  ['os.environ["K"] = "v"', environment],
  ['del os.environ["PATH"]', environment],
  ['os.environ.update(K="v")', environment],
  ['env["K"] = "v"', environment],
  ['os.putenv("K", "v")', environment],
  ['set_it()', environment],
  ['%env K=v', environment],
  ['print(os.environ["PATH"], os.environ.get("K"))', []],
  ['sample.append(os.environ.get("K"))', []],
  ['read_it()', []],
  ['sys.path.insert(0, "/x")', importPath],
  ['sys.path[:] = []', importPath],
  ['sys.path += ["/x"]', importPath],
  ['extend()', importPath],
  ['sample.append(join())', []],
  ['random.seed(1)', randomState],
  ['m = random.random()', randomState],
  ['m = choice(sample)', randomState],
  ['m = roll()', randomState],
  ['generator.random()', []],
  ['sample.append(1)', []],
  ['m = os.umask(0o77)', ['(umask)']],
  ['import locale; locale.setlocale(locale.LC_ALL, "C")', ['(locale)']],
  ['import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))', ['(limits)']],
  ['sys.setrecursionlimit(2000)', ['(recursion limit)']],
  ['import decimal; decimal.getcontext().prec = 5', ['(decimal context)']],
  ['import warnings; warnings.simplefilter("error")', ['(warning filters)']],
  ['import warnings; warnings.filters.insert(0, ("error", None, Warning, None, 0))', ['(warning filters)']],
  ['log.handlers = []', ['(logging)']],
  ['logging.root.disabled = True', ['(logging)']],
  ['import matplotlib.pyplot as plt; plt.switch_backend("agg")', ['(plot options)']],
  ['%matplotlib agg', ['(plot options)']],
  ['import logging; logging.getLogger("a").setLevel(10)', ['(logging)']],
  ['log.setLevel(10)', ['(logging)']],
  ['log.propagate = False', ['(logging)']],
  ['log.warning("text")', []],
  ['import numpy; numpy.set_printoptions(precision=2)', ['(numpy options)']],
  ['import pandas as pd; pd.options.display.precision = 2', ['(pandas options)']],
  ['import pandas as pd; pd.set_option("display.precision", 2)', ['(pandas options)']],
  ['from matplotlib import rcParams; rcParams["figure.dpi"] = 50', ['(plot options)']],
])('after a step that ran %j, the lost surroundings are %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(lost);
});

test.each([
  [
    'import decimal; ctx = decimal.getcontext(); ctx.prec = 5',
    '(decimal.Decimal(1) / 3, decimal.getcontext() is ctx)',
    "(Decimal('0.33333'), True)",
  ],
  ['import warnings; warnings.simplefilter("error")', 'warnings.filters[0][0]', "'error'"],
  [
    'import warnings\nclass Own(UserWarning): pass\nwarnings.simplefilter("error", Own)',
    'warnings.filters[0][2] is Own',
    'True',
  ],
  [
    'log.setLevel(10); log.propagate = False; logging.root.setLevel(20)',
    '(log.level, log.propagate, logging.root.level)',
    '(10, False, 20)',
  ],
  ['import gc; gc.disable(); gc.set_threshold(9)', '(gc.isenabled(), gc.get_threshold()[0])', '(False, 9)'],
  ['import locale; locale.setlocale(locale.LC_ALL, "C")', 'locale.setlocale(locale.LC_ALL)', "'C'"],
  ['sys.setswitchinterval(0.25)', 'sys.getswitchinterval()', '0.25'],
])('a snapshot has the settings of %j', async (code, check, shown) => {
  await using saved = await openKernel('python');
  for (const step of [...before, code]) expect((await saved.run(step)).error).toBeUndefined();
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  expect((await recoverState(kernel.kernel, { archive })).lost).toEqual([]);
  expect((await kernel.run(check)).shown).toBe(shown);
});

test('a setting that cannot be saved is lost by its name', async () => {
  await using saved = await openKernel('python');
  await saved.run(
    'import warnings, sys\nclass Own(UserWarning):\n  held = sys._getframe()\nwarnings.simplefilter("error", Own)',
  );
  const { notSaved } = manifestOf(await saveState(saved.kernel));
  expect(notSaved.map(({ name }) => name)).toEqual(['Own', '(warning filters)']);
});

test('a step that uses a lost value loses the surroundings that this can change', async () => {
  const { kernel, lost } = await after([{ code: 'mover.place = "/"' }, { code: 'mover.move()' }]);
  await using _kernel = kernel;
  expect(lost).toEqual(directory);
});

test('a step that changes the surroundings and runs again loses nothing', async () => {
  const { kernel, report } = await after([{ code: 'os.chdir("/tmp"); random.seed(1)', replay: true }]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect((await kernel.run('(os.getcwd(), random.random())')).shown).toBe("('/tmp', 0.13436424411240122)");
});

test.each([
  ['os.chdir("/tmp")', 'm = os.listdir()', '(working directory)'],
  ['random.seed(1)', 'm = random.random()', '(random state)'],
])('the replay stops, after %j, before the step %j', async (first, second, lost) => {
  const stepId = newId('stp');
  const { kernel, report } = await after([{ code: first }, { code: second, replay: true, stepId }]);
  await using _kernel = kernel;
  expect(report.stopped).toEqual({ stepId, reason: `the step uses ${lost}, which is lost` });
});

test('the replay goes on after the random state is lost, with steps that use no random numbers', async () => {
  const { kernel, report } = await after([{ code: 'random.seed(1)' }, { code: 'm = os.listdir("/")', replay: true }]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ replayed: ['m'], stopped: null });
});

test('a kernel that is saved again loads the modules for it, unless the working directory has one of that name', async () => {
  await using kernel = await openKernel('python');
  await kernel.run('import os, sys, tempfile; os.chdir(tempfile.mkdtemp()); "logging" in sys.modules');
  const saveTwice = async () => {
    for (let i = 0; i < 2; i++) await saveState(kernel.kernel);
  };
  const loaded = async () => (await kernel.run('"holdfast_kernel.state.save_names" in sys.modules')).shown;
  await kernel.run('open("pickle.py", "w").write("open(\'ran\', \'w\')")');
  await saveTwice();
  expect(await loaded()).toBe('False');
  await kernel.run('os.unlink("pickle.py")');
  // Each save loads one of the twelve modules at least, and on an idle machine more.
  for (let i = 0; i < 6 && (await loaded()) === 'False'; i++) await saveTwice();
  expect(await loaded()).toBe('True');
  expect((await kernel.run('os.listdir()')).shown).toBe('[]');
});

test('neither a snapshot nor a recovery runs modules of the workspace that have the names of libraries', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'modules-'));
  for (const name of ['pickle', 'logging', 'struct', 'copyreg', 'cloudpickle', 'platform', 'uuid'])
    await writeFile(join(directory, `${name}.py`), `open(${JSON.stringify(join(directory, 'ran'))}, 'w')`);
  const enter = `import os; os.chdir(${JSON.stringify(directory)})`;
  await using saved = await openKernel('python');
  await saved.run(`${enter}; def_ = 1\ndef add(a): return a + def_`);
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('python');
  await kernel.run(enter);
  const { lost } = await recoverState(kernel.kernel, { archive });
  expect({ lost, shown: (await kernel.run('add(1)')).shown }).toEqual({ lost: [], shown: '2' });
  expect(await readdir(directory)).not.toContain('ran');
  await rm(directory, { recursive: true });
});
