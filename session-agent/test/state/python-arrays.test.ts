import { describe, expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { pythonWithPackages } from '../support/python-with-packages.ts';
import { recoverState, saveState } from '../support/state.ts';

const { python, missing } = await pythonWithPackages('plots');

/** The code that finds cloudpickle, which these packages do not have. */
async function findCloudpickle(): Promise<string> {
  await using kernel = await openKernel('python');
  const { shown } = await kernel.run('import cloudpickle, os; os.path.dirname(os.path.dirname(cloudpickle.__file__))');
  return `import sys; sys.path.append(${shown}); import cloudpickle; import numpy as np`;
}

describe.skipIf(missing)(`arrays${missing ? `: ${missing}` : ''}`, { timeout: 120_000 }, () => {
  test.each([
    [
      'that are read-only',
      `a = np.arange(4); view = a[1:]; a.flags.writeable = False; same = a[:2]; wide = np.broadcast_to(np.arange(3), (2, 3))
text = np.frombuffer(b'ab', np.uint8); objects = np.array([1, None], object); objects.flags.writeable = False
steps = np.arange(9)[::2]; steps.flags.writeable = False; free = np.ones(2)`,
      'view[0] = 9; [int(n) for n in a], [one.flags.writeable for one in (a, view, same, wide, text, objects, steps, free)]',
      '([0, 9, 2, 3], [False, True, False, False, False, False, False, True])',
    ],
    [
      'of a class of a step, with their attributes',
      `class Named(np.ndarray):
  def __new__(cls, data, name=None): made = np.asarray(data).view(cls); made.name = name; return made
  def __array_finalize__(self, other): self.name = getattr(other, 'name', None)
base = np.arange(3); part = base[1:].view(Named); part.name = ['p']; whole = Named([1, 2], 'w')`,
      'base[1] = 7; int(part[0]), part.name, type(part) is Named, whole.name, whole[:1].name, whole.tolist()',
      "(7, ['p'], True, 'w', 'w', [1, 2])",
    ],
  ])('brings back arrays %s', async (_title, code, check, shown) => {
    await using saved = await openKernel('python', { config: { python } });
    for (const step of [await findCloudpickle(), code]) expect((await saved.run(step)).error).toBeUndefined();
    const archive = await saveState(saved.kernel);
    await using kernel = await openKernel('python', { config: { python } });
    expect((await recoverState(kernel.kernel, { archive })).lost).toEqual([]);
    expect((await kernel.run(check)).shown).toBe(shown);
  });

  test.each([
    ['', [], '(2, True)'],
    [
      '@pd.api.extensions.register_series_accessor("more")\nclass More: pass',
      ['(pandas accessors)', 'More'],
      '(2, True)',
    ],
  ])('brings back an accessor of data frames, and after %j are lost %j', async (later, names, shown) => {
    await using saved = await openKernel('python', { config: { python } });
    const code =
      'import pandas as pd\n@pd.api.extensions.register_dataframe_accessor("own")\nclass Own:\n  def __init__(self, frame): self.size = len(frame)';
    for (const step of [await findCloudpickle(), code]) expect((await saved.run(step)).error).toBeUndefined();
    const archive = await saveState(saved.kernel);
    await using kernel = await openKernel('python', { config: { python } });
    const { lost } = await recoverState(kernel.kernel, { archive, steps: later ? [{ code: later }] : [] });
    expect(lost.map(({ name }) => name).sort()).toEqual(names);
    const check = 'frame = pd.DataFrame({"a": [1, 2]}); frame.own.size, type(frame.own) is Own';
    expect((await kernel.run(check)).shown).toBe(shown);
  });

  test('names an array whose content is a file that code writes to', async () => {
    await using saved = await openKernel('python', { config: { python } });
    await saved.run('import numpy as np, tempfile; m = np.memmap(tempfile.mktemp(), "int8", "w+", shape=4)');
    await using kernel = await openKernel('python', { config: { python } });
    const { lost } = await recoverState(kernel.kernel, { archive: await saveState(saved.kernel) });
    expect(lost).toEqual([{ name: 'm', reason: 'a value of type memmap cannot be saved' }]);
  });
});
