import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';

/** Saves two names, and recovers them with these steps after it. */
async function after(steps: LaterStep[]) {
  await using saved = await openKernel('python');
  await saved.run('n = 1; items = [1]; word = "a"');
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { archive, steps });
  return { kernel, report, lost: report.lost.map(({ name }) => name).sort() };
}

test.each([
  ['!ls', []],
  ['!echo $word {n}', []],
  ['!echo {items}', ['*', 'items', 'n', 'word']],
  ['!echo {n + 1}', ['*', 'items', 'n', 'word']],
  ['names = !ls\nm = n + 1', ['names']],
  ['%pip --version\nn = 2', []],
  ['%%bash\necho {1..3}', []],
  ['%%bash --out word\necho b', ['*', 'items', 'n', 'word']],
  ['ls -l', []],
  ['%timeit -n1 -r1 items.append(2)', ['*', 'items', 'n', 'word']],
])('after a step with the command %j, the lost names are %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(lost);
});

test('a step with commands of IPython does not run again, unless it may', async () => {
  const folder = await mkdtemp('/tmp/state-');
  try {
    const found = await after([
      { code: `!echo no >> ${folder}/ran` },
      { code: `def f(): return n\n!echo yes >> ${folder}/ran\nn += 1`, replay: true },
      { code: 'word = !echo {n}\nitems.append(word[0])', replay: true },
      { code: '%%bash\necho shown; false', replay: true, status: 'failed' },
      { code: '%run missing.py', replay: true, status: 'failed' },
    ]);
    await using kernel = found.kernel;
    expect(await readFile(`${folder}/ran`, 'utf8')).toBe('yes\n');
    expect(found.report).toMatchObject({ lost: [], stopped: null });
    expect(await kernel.run('(f(), n, word, items)')).toMatchObject({
      shown: "(2, 2, ['2'], [1, '2'])",
      stdout: '',
    });
    expect(kernel.background()).toBe('');
    expect(await kernel.run('!echo {n}')).toMatchObject({ stdout: '2\n' });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each(['ls', '!echo {ls}', 'out = !echo $ls'])(
  'the step %j does not run again if the name is lost',
  async (code) => {
    const stepId = newId('stp');
    const { kernel, report } = await after([{ code: 'ls = open("/proc/uptime")' }, { code, replay: true, stepId }]);
    await using _kernel = kernel;
    expect(report.stopped).toMatchObject({ stepId });
  },
);
