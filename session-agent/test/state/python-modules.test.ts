import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoverState, saveState } from '../support/state.ts';

const before = ['import os, sys, tempfile; os.chdir(tempfile.mkdtemp()); sys.path.insert(0, "")'];

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
