import { expect, test } from 'vitest';
import { AgentError } from '../../agent/agent-error.ts';
import { failureOf } from './failed-start.ts';

const never = new AbortController().signal;
const messageFor = (cause: unknown) => failureOf({ timeout: never, stopped: never, cause }).message;

test('the end of a session whose start failed at the database has no statement', () => {
  const refused = Object.assign(new Error('the disk is full'), { severity: 'ERROR', code: '53100' });
  expect(messageFor(new Error('Failed query: select 1 params: secret', { cause: refused }))).toBe(
    'the database could not be reached',
  );
});

test('the end of a session whose agent failed says how', () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  expect(messageFor(new AgentError('cut', 'the connection was reset', { cause: reset }))).toBe(
    'the connection was reset',
  );
});
