import { expect, test } from 'vitest';
import { suitsZygote } from './zygote-environment.ts';

const own = { LANG: 'C.UTF-8', OMP_NUM_THREADS: '2' };

test('variables that code reads when it runs do not need an interpreter of their own', () => {
  expect(suitsZygote({ TZ: 'Asia/Tokyo', API_URL: 'x', PATH: '/opt/bin', NO_COLOR: '1' }, own)).toBe(true);
});

test.for(['PYTHONPATH', 'LD_PRELOAD', 'OMP_NUM_THREADS', 'OPENBLAS_CORETYPE', 'LANG', 'LC_ALL', 'HOME', 'MPLBACKEND'])(
  'a variable that acts when an interpreter starts or a library is loaded needs one: %s',
  (name) => {
    expect(suitsZygote({ [name]: 'other' }, own)).toBe(false);
  },
);

test('such a variable is no obstacle where it says what the zygote was started with', () => {
  expect(suitsZygote({ LANG: 'C.UTF-8', OMP_NUM_THREADS: '2' }, own)).toBe(true);
});
