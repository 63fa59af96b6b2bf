import { expect, test } from 'vitest';
import { kernelConfig, openKernel, openZygote } from '../support/open-kernel.ts';
import { pythonWithLibrary } from '../support/python-with-library.ts';

/** A library with the name of pandas. `end` is what happens once a frame has been noted. */
const pandas = (end: string) => `
import os
users = []
class DataFrame:
    def __init__(self, data):
        users.append(os.getpid())
        ${end}
`;

test.for([
  ['works', 'pass'],
  ['is broken', 'raise SystemExit(1)'],
])('a kernel in reserve has used a pandas that %s before its first step', async ([, end = '']) => {
  using library = await pythonWithLibrary();
  library.install('pandas', pandas(end));
  const { python } = library;
  const zygote = await openZygote({ ...(await kernelConfig()), python }, ['pandas']);
  try {
    await using kernel = await openKernel('python', { cwd: library.empty, config: { python, zygote } });
    const { shown } = await kernel.run('import os, pandas; pandas.users == [os.getpid()]');
    expect(shown).toBe('True');
  } finally {
    zygote.end();
  }
});
