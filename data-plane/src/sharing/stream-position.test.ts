import { newId } from '@holdfast/specs/public';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStepsMax, parsePosition, StreamPosition } from './stream-position.ts';

const sessionId = newId('ses');

test('a cursor brings back the position that made it', () => {
  const number = fc.integer({ min: 1, max: 2 ** 31 - 1 });
  const seq = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const steps = fc.uniqueArray(fc.tuple(number, seq), { selector: ([n]) => n, maxLength: openStepsMax });
  fc.assert(
    fc.property(steps, fc.nat(), fc.maxSafeNat(), (open, passed, entry) => {
      const position = new StreamPosition(sessionId);
      position.pass(passed);
      position.passEntry(entry);
      for (const [n, s] of open) {
        position.begin(n);
        position.advance(n, s);
      }
      expect(parsePosition(sessionId, position.cursor)).toEqual(position);
    }),
  );
});

const tag = sessionId.slice(-6);
const cursorOf = (text: string) => Buffer.from(`${tag}.${text}`).toString('base64url');

test.each([
  '',
  '1',
  '1.2.',
  '1.2.3',
  '-1.2',
  '1.2.2-0',
  '2147483648.0',
  '1.9007199254740992',
  '1.2.1-4294967296',
  '1.2.1-0.1-1',
  `999.0${Array.from({ length: openStepsMax + 1 }, (_, n) => `.${n}-0`).join('')}`,
])('refuses %j as a cursor', (text) => {
  expect(() => parsePosition(sessionId, cursorOf(text))).toThrow(expect.objectContaining({ slug: 'invalid-request' }));
});

test('a position never goes back, and forgets a step at its end', () => {
  const position = new StreamPosition(sessionId);
  position.begin(3);
  position.advance(3, 7);
  position.advance(3, 2);
  position.pass(1);
  position.passEntry(9);
  position.passEntry(4);
  expect(position).toMatchObject({ stepNumber: 3, entryNumber: 9, open: new Map([[3, 7]]) });
  position.end(3);
  expect(position.open.size).toBe(0);
});

test('the cursor of another session is refused', () => {
  const { cursor } = new StreamPosition(newId('ses'));
  const options = { errors: [expect.objectContaining({ pointer: 'header/last-event-id' })] };
  expect(() => parsePosition(sessionId, cursor, 'header/last-event-id')).toThrow(
    expect.objectContaining({ slug: 'invalid-request', options: expect.objectContaining(options) }),
  );
});
