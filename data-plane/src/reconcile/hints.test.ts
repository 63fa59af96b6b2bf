import { expect, test } from 'vitest';
import { createHints } from './hints.ts';

test('a look that hangs keeps no other from being looked at, and is given up and reported', async () => {
  const looked: string[] = [];
  const failed: string[] = [];
  const look = async (id: string) => {
    if (id === 'hangs') await new Promise(() => {});
    looked.push(id);
  };
  const hints = createHints({ look, onError: (_, id) => failed.push(id), deadlineMs: 20 });
  for (const id of ['hangs', 'a', 'b']) hints.hint(id);
  await hints.settled();
  expect(looked).toEqual(['a', 'b']);
  expect(failed).toEqual(['hangs']);
});

test('a hint during a look is looked at once more, after it', async () => {
  let looks = 0;
  let atOnce = 0;
  const hints = createHints({
    look: async () => {
      atOnce++;
      expect(atOnce).toBe(1);
      await Promise.resolve();
      looks++;
      atOnce--;
    },
    onError: expect.fail,
  });
  for (let i = 0; i < 5; i++) hints.hint('a');
  await hints.settled();
  expect(looks).toBe(2);
});
