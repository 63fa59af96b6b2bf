import { expect, test } from 'vitest';
import { suitsZygote } from './suits-zygote.ts';

const own = { LANG: 'C.UTF-8', OMP_NUM_THREADS: '2' };

test('accepts variables that only running code reads', () => {
  expect(suitsZygote({ TZ: 'Asia/Tokyo', API_URL: 'x', PATH: '/opt/bin', NO_COLOR: '1' }, own)).toBe(true);
});

test.for(['PYTHONPATH', 'LD_PRELOAD', 'OMP_NUM_THREADS', 'OPENBLAS_CORETYPE', 'LANG', 'LC_ALL', 'HOME', 'MPLBACKEND'])(
  'rejects a variable that acts when an interpreter starts or a library is loaded: %s',
  (name) => {
    expect(suitsZygote({ [name]: 'other' }, own)).toBe(false);
  },
);

test('accepts such a variable if the zygote was started with the same value', () => {
  expect(suitsZygote({ LANG: 'C.UTF-8', OMP_NUM_THREADS: '2' }, own)).toBe(true);
});
