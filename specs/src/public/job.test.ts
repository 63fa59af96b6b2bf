import { describe, expect, test } from 'vitest';
import { runJobSchema } from './job.ts';
import { newId } from './values/ids.ts';

const sessionId = newId('ses');
const pointers = (body: object) =>
  runJobSchema.safeParse({ language: 'python', code: '1', ...body }).error?.issues.map(({ path }) => path.join('/'));

describe('the file for the code of a job', () => {
  test.each([
    [{ filename: 'main.py', files: { './main.py': '' } }],
    [{ filename: '/workspace/a/b.py', files: { 'a/b.py': '' } }],
    [{ sessionId, filename: 'a.py', files: { 'a.py': '' } }],
  ])('cannot also be one of the given files: %o', (body) => {
    expect(pointers(body)).toEqual(['files']);
  });

  test.each([
    [{ files: { 'main.py': '' } }],
    [{ filename: 'a.py', files: { 'main.py': '' } }],
    [{ sessionId, files: { 'main.py': '' } }],
  ])('does not restrict other files: %o', (body) => {
    expect(pointers(body)).toBeUndefined();
  });
});

test.each([
  [{ language: 'ruby' }, 'language'],
  [{ filename: '' }, 'filename'],
  [{ filename: '../up.py' }, 'filename'],
  [{ filename: '/etc/passwd' }, 'filename'],
  [{ files: { '../up': '' } }, 'files/../up'],
  [{ files: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${i}`, ''])) }, 'files'],
  [{ args: ['a\0b'] }, 'args/0'],
  [{ args: Array(257).fill('') }, 'args'],
  [{ stdin: '\ud800' }, 'stdin'],
  [{ timeoutSeconds: 0 }, 'timeoutSeconds'],
  [{ env: { '1': '' } }, 'env/1'],
  [{ sessionId: 'ses_1' }, 'sessionId'],
  [{ limits: { memoryMb: 1 } }, 'limits/memoryMb'],
  [{ sessionId, webhooks: [] }, 'webhooks'],
])('rejects an invalid job and points to the fault: %#', (body, pointer) => {
  expect(pointers(body)).toEqual([pointer]);
});
