import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { kernelConfig } from '../support/open-kernel.ts';

const sources = fileURLToPath(new URL('../../src/languages/python', import.meta.url));

/** Renews the table at eight degrees of fill, and prints how often it was rebuilt soon afterwards. */
const code = `
import sys
from holdfast_zygote import interned

def rebuilds(strings):
    before, count = interned._page_faults(), 0
    for number in strings:
        sys.intern(f'later {number}')
        if number % 64 == 0:
            now = interned._page_faults()
            count += now - before > 128
            before = now
    return count

kept = [sys.intern(f'kept {number}') for number in range(50_000)]
found = 0
for place in range(8):
    for number in range(4999):
        sys.intern(f'between {number}')
    interned.renew_interned_table()
    found += rebuilds(range(40_000))
print(found)
`;

test('a renewed table of interned strings takes many more strings before it is rebuilt', async () => {
  const { python } = await kernelConfig();
  const { stdout, stderr } = spawnSync(python, ['-c', code], { env: { PYTHONPATH: sources }, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});
