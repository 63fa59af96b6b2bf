import { expect, test } from 'vitest';
import { createOwnSteps } from './watch-others.ts';

test('a step that is over is forgotten for good, although its own stream goes on a little', async () => {
  const ownSteps = createOwnSteps();
  const begun = ownSteps.begin();
  begun.as('stp_1');
  expect(await ownSteps.has('stp_1')).toBe(true);
  ownSteps.forget('stp_1');
  begun.as('stp_1');
  expect(await ownSteps.has('stp_1')).toBe(false);
});
