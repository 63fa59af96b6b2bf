import { expect, test } from 'vitest';
import { clockFinding } from './check-server.ts';

const now = Date.parse('2026-01-15T10:00:00Z');

test.each([
  ['Thu, 15 Jan 2026 10:00:20 GMT', 'ok', /^as that of the server/],
  ['Thu, 15 Jan 2026 10:05:00 GMT', 'warning', /^this machine is 300 s behind/],
  ['Thu, 15 Jan 2026 09:00:00 GMT', 'warning', /^this machine is 3600 s ahead/],
  [null, 'warning', /tells no time/],
])('the server says %s', (date, status, detail) => {
  expect(clockFinding(date, now)).toMatchObject({ status, detail: expect.stringMatching(detail) });
});
