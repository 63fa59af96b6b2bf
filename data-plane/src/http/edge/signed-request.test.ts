import { EventEmitter } from 'node:events';
import { newId } from '@holdfast/specs/public';
import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import type { EdgeEnv } from './edge.ts';
import { unlessSigned } from './signed-request.ts';

test('a signed request ends with its key, and a name that no key can have is not looked up', async () => {
  const addOpenRequest = vi.fn(() => () => {});
  const authorized = vi.fn();
  const app = new Hono<EdgeEnv>().get('/', unlessSigned({ addOpenRequest }, authorized), (c) => c.body(null, 204));
  const id = newId('key');
  for (const key of [id, '', 'key_', `${id}\0`, 'key_\0', 'x'.repeat(5000)])
    await app.request(`/?signature=s&key=${encodeURIComponent(key)}`, {}, { outgoing: new EventEmitter() });
  expect(addOpenRequest.mock.calls).toEqual([[id, expect.any(Function)]]);
  expect(authorized).not.toHaveBeenCalled();
});
