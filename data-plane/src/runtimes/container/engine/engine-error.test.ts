import { expect, test } from 'vitest';
import { SandboxError } from '../../runtime.ts';
import { EngineError, engineError, sandboxError } from './engine-error.ts';

const refusal = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message} `), { statusCode, json: { message } });

test.each([
  ['Docker', 409, 'Conflict. The container name "/a" is already in use by container "b".', 'name-taken'],
  [
    'Podman',
    500,
    'container create: the container name "a" is already in use by b: that name is already in use',
    'name-taken',
  ],
  ['Docker', 404, 'No such image: a:1', 'no-image'],
  ['Podman', 404, 'no such image: a:1: image not known', 'no-image'],
  ['Docker', 403, 'Pool overlaps with other one on this address space', 'subnet-taken'],
  ['Podman', 500, 'subnet 10.0.0.0/29 is already used on the host or by another config', 'subnet-taken'],
  ['Docker', 404, 'No such container: a', 'not-found'],
  ['Docker', 409, 'removal of container a is already in progress', 'refused'],
  ['Podman', 500, 'OCI permission denied', 'refused'],
  ['a proxy before it', 503, 'Service Unavailable', 'unavailable'],
])('%s answers %d: %s', (_, code, said, kind) => {
  expect(engineError(refusal(code, said))).toMatchObject({ kind, message: expect.stringContaining(said) });
});

test('an engine whose socket refuses connections is unavailable, and may come back', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED /run/docker.sock'), { code: 'ECONNREFUSED' });
  const error = sandboxError(engineError(cause));
  expect(error).toBeInstanceOf(SandboxError);
  expect(error).toMatchObject({ reason: 'runtime_unavailable', retryAfterSeconds: 5 });
});

test('translates a missing image, and returns other errors unchanged', () => {
  expect(sandboxError(new EngineError('no-image', 'image a:1'))).toMatchObject({ reason: 'image_pull_failed' });
  const other = new TypeError('a fault of ours');
  expect(sandboxError(other)).toBe(other);
});
