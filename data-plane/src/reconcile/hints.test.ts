import { expect, test } from 'vitest';
import { createHints } from './hints.ts';

test('a check that hangs delays no other check, and is reported at its deadline', async () => {
  const checked: string[] = [];
  const failed: string[] = [];
  const check = async (id: string) => {
    if (id === 'hangs') await new Promise(() => {});
    checked.push(id);
  };
  const hints = createHints({ check, onError: (_, id) => failed.push(id), deadlineMs: 20 });
  for (const id of ['hangs', 'a', 'b']) hints.hint(id);
  await hints.settled();
  expect(checked).toEqual(['a', 'b']);
  expect(failed).toEqual(['hangs']);
});

test('a hint during a check leads to one more check, after it', async () => {
  let checks = 0;
  let atOnce = 0;
  const hints = createHints({
    check: async () => {
      atOnce++;
      expect(atOnce).toBe(1);
      await Promise.resolve();
      checks++;
      atOnce--;
    },
    onError: expect.fail,
  });
  for (let i = 0; i < 5; i++) hints.hint('a');
  await hints.settled();
  expect(checks).toBe(2);
});
