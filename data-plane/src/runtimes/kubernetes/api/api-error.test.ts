import { expect, test } from 'vitest';
import { SandboxError } from '../../runtime.ts';
import { type ApiError, apiError, sandboxError } from './api-error.ts';

function answered(code: number, status: object | string = {}, headers: Record<string, string> = {}): ApiError {
  const body = typeof status === 'string' ? status : JSON.stringify({ kind: 'Status', ...status });
  return apiError(Object.assign(new Error('Unknown API Status Code!'), { code, body, headers }));
}

test.each([
  [404, { reason: 'NotFound' }, 'not-found'],
  [409, { reason: 'AlreadyExists' }, 'already-exists'],
  [409, { reason: 'Conflict', message: 'Operation cannot be fulfilled on resourcequotas' }, 'conflict'],
  [410, { reason: 'Expired' }, 'expired'],
  [410, { reason: 'Gone' }, 'expired'],
  [429, { reason: 'TooManyRequests' }, 'throttled'],
  [
    403,
    { reason: 'Forbidden', message: 'pods "a" is forbidden: exceeded quota: sandboxes, used: pods=2' },
    'over-quota',
  ],
  [403, { reason: 'Forbidden', message: 'pods is forbidden: User "x" cannot create resource "pods"' }, 'refused'],
  [422, { reason: 'Invalid' }, 'refused'],
  [400, { reason: 'BadRequest' }, 'refused'],
  [401, { reason: 'Unauthorized' }, 'unavailable'],
  [500, { reason: 'InternalError' }, 'unavailable'],
  [503, 'no healthy upstream', 'unavailable'],
  [504, { reason: 'Timeout' }, 'unavailable'],
] as const)('%i %o is %s', (code, status, kind) => {
  expect(answered(code, status)).toMatchObject({ kind, answered: true });
});

test('reads the time of the next attempt from a header or from the status', () => {
  expect(answered(429, {}, { 'retry-after': '7' }).retryAfterSeconds).toBe(7);
  expect(answered(429, { details: { retryAfterSeconds: 3 } }).retryAfterSeconds).toBe(3);
  expect(answered(503, {}, { 'retry-after': '2' })).toMatchObject({ kind: 'throttled', retryAfterSeconds: 2 });
  expect(answered(429, {}, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }).retryAfterSeconds).toBeUndefined();
});

test('a call that never reached the server, or was never answered, is unavailable, with the innermost message', () => {
  const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.1:443') });
  expect(apiError(refused)).toMatchObject({ kind: 'unavailable', answered: false, cause: refused });
  expect(apiError(refused).message).toContain('connect ECONNREFUSED 10.0.0.1:443');
  expect(apiError(AbortSignal.abort(new DOMException('too late', 'TimeoutError')).reason).kind).toBe('unavailable');
});

test("the message contains the server's words, shortened, also if the body is not a status", () => {
  expect(answered(422, { message: 'spec.x: Invalid value' }).message).toContain('spec.x: Invalid value');
  expect(answered(502, '<html>Bad Gateway</html>').message).toContain('Bad Gateway');
  expect(answered(500, 'null').message).toContain('500');
  expect(answered(422, { message: 'x'.repeat(100_000) }).message.length).toBeLessThanOrEqual(1000);
});

test.each([
  [answered(503), { reason: 'runtime_unavailable', retryAfterSeconds: 5 }],
  [answered(429, {}, { 'retry-after': '9' }), { reason: 'runtime_unavailable', retryAfterSeconds: 9 }],
  [answered(403, { message: 'exceeded quota: pods' }), { reason: 'unschedulable', retryAfterSeconds: 10 }],
  [answered(403), { reason: 'sandbox_start_failed', retryAfterSeconds: undefined }],
  [answered(422, { message: 'spec.x' }), { reason: 'sandbox_start_failed', retryAfterSeconds: undefined }],
])('%o ends a launch with %o', (error, ending) => {
  expect(sandboxError(error)).toBeInstanceOf(SandboxError);
  expect(sandboxError(error)).toMatchObject({ ...ending, cause: error });
});

test('returns other errors unchanged', () => {
  const reason = new Error('the client has gone');
  expect(sandboxError(reason)).toBe(reason);
});
