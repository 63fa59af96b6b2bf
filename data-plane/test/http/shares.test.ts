import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { newId, Problem, type ShareAccess } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { scriptedApp } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const token = `hfs_${'0'.repeat(26)}_${'x'.repeat(43)}`;

const guest = (access: ShareAccess, leftMs = 60_000) => ({
  async authenticate(key: string | null) {
    if (key !== token) throw new Problem('unauthenticated');
    const endsAtMs = performance.now() + leftMs;
    const share = { sessionId, access };
    return { tenant: 'acme', scopes: new Set<never>(), keyId: newId('shr'), actor: 'user' as const, endsAtMs, share };
  },
});

const watching = [
  'get /v1/sessions/{sessionId}',
  'get /v1/sessions/{sessionId}/context',
  'get /v1/sessions/{sessionId}/events',
  'get /v1/sessions/{sessionId}/files',
  'get /v1/sessions/{sessionId}/files/{path}',
  'get /v1/sessions/{sessionId}/processes',
  'get /v1/sessions/{sessionId}/processes/{processId}',
  'get /v1/sessions/{sessionId}/processes/{processId}/events',
  'get /v1/sessions/{sessionId}/processes/{processId}/output/{stream}',
  'get /v1/sessions/{sessionId}/proposals',
  'get /v1/sessions/{sessionId}/proposals/{proposalId}',
  'get /v1/sessions/{sessionId}/steps',
  'get /v1/sessions/{sessionId}/steps/{stepId}',
  'get /v1/sessions/{sessionId}/steps/{stepId}/events',
  'get /v1/sessions/{sessionId}/steps/{stepId}/output/{stream}',
];
const takingPart = [
  'get /v1/sessions/{sessionId}/processes/{processId}/channel',
  'post /v1/sessions/{sessionId}/processes',
  'post /v1/sessions/{sessionId}/processes/{processId}/signal',
  'post /v1/sessions/{sessionId}/processes/{processId}/stdin',
  'post /v1/sessions/{sessionId}/processes/{processId}/terminal',
  'post /v1/sessions/{sessionId}/steps',
  'post /v1/sessions/{sessionId}/steps/{stepId}/interrupt',
  'post /v1/sessions/{sessionId}/steps/{stepId}/stdin',
];

type Described = Record<string, { security?: object[] }>;

/** Every operation that needs a key, as the document has it. */
const operations = Object.entries(openapi.paths as unknown as Record<string, Described>).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security && security.length > 0)
    .map(([method]) => ({ method, path, name: `${method} ${path}` })),
);

const examples: Record<string, string> = {
  sessionId,
  stepId: newId('stp'),
  stream: 'stdout',
  path: 'a.txt',
  contextId: 'python',
};

/** Asks for every operation and returns those that were not refused as beyond the link. */
async function allowed(access: ShareAccess, of = sessionId): Promise<string[]> {
  const { app } = scriptedApp(guest(access));
  const names: string[] = [];
  for (const { method, path, name } of operations) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_, parameter) =>
      parameter === 'sessionId' ? of : (examples[parameter] ?? 'x'),
    );
    // Without a path it asks for a file of this name.
    const query = path.endsWith('/files/events') ? '?path=' : '';
    const answer = await app.request(`${url}${query}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status !== 403) names.push(name);
    else expect(await answer.json()).toMatchObject({ code: 'forbidden' });
  }
  return names.sort();
}

test('a link to watch allows what it lists, and no other operation of the document', async () => {
  expect(operations.length).toBeGreaterThan(60);
  expect(await allowed('watch')).toEqual(watching);
});

test('a link to run allows to take part as well, and no other operation of the document', async () => {
  expect(await allowed('run')).toEqual([...watching, ...takingPart].sort());
});

test.each(['watch', 'run'] as const)('a link to %s allows nothing in another session', async (access) => {
  expect(await allowed(access, newId('ses'))).toEqual([]);
});

test.each(['watch', 'run'] as const)('a link to %s has that right in requests that skip the router', async (access) => {
  let asked = 0;
  const runStep = async () => {
    asked += 1;
    throw new Problem('session-paused');
  };
  const { url } = await servedApp({ ...guest(access), runStep });
  const send = (id: string) =>
    fetch(`${url}/v1/sessions/${id}/steps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"code":"1"}',
    });
  expect((await send(sessionId)).status).toBe(access === 'run' ? 409 : 403);
  expect((await send(newId('ses'))).status).toBe(403);
  expect(asked).toBe(access === 'run' ? 1 : 0);
});

test('a HEAD request with a link is as good as a GET request', async () => {
  const { app } = scriptedApp({ ...guest('watch'), getSession: async () => ({}) as never });
  const ask = (path: string) => app.request(path, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } });
  expect((await ask(`/v1/sessions/${sessionId}`)).status).toBe(200);
  expect((await ask(`/v1/sessions/${sessionId}/audit`)).status).toBe(403);
});

const silentStream = {
  followSession: async ({ signal }: { signal: AbortSignal }) => ({
    isAtEnd: false,
    position: {} as never,
    async *happenings() {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  }),
};

test('an EventSource sends the token in the query, which no line of the log has', async () => {
  const { url, lines } = await servedApp({ ...guest('watch'), ...silentStream });
  const events = `${url}/v1/sessions/${sessionId}/events`;
  const stream = await openStream(`${events}?token=${token}`);
  expect(stream.status).toBe(200);
  stream.cut();
  const answers = [`?token=${token.replaceAll('x', 'y')}`, '?token=hf_secret', ''].map((query) =>
    fetch(events + query),
  );
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 401]);
  // Only what a browser opens by itself takes the token there.
  expect((await fetch(`${url}/v1/sessions/${sessionId}?token=${token}`)).status).toBe(401);
  await eventually(() => expect(lines).toHaveLength(5));
  expect(lines.join('')).not.toContain(token.slice(4, 20));
  expect(lines.join('')).not.toContain('hf_secret');
});

test('two different secrets are refused', async () => {
  const { app } = scriptedApp(guest('watch'));
  const answer = await app.request(`/v1/sessions/${sessionId}/events?token=${token}`, {
    headers: { authorization: 'Bearer other' },
  });
  expect(answer.status).toBe(400);
});

/** A caller with a token of an issuer. */
const tokenOwner = (leftMs: number) => ({
  async authenticate() {
    const endsAtMs = performance.now() + leftMs;
    return { tenant: 'acme', scopes: new Set(['run'] as const), keyId: 'oidc:alice', endsAtMs };
  },
});

test.each([
  ['link', guest('watch', 300)],
  ['token', tokenOwner(300)],
])('a stream ends when its %s expires', async (_, caller) => {
  const { url } = await servedApp({ ...caller, ...silentStream });
  const stream = await openStream(`${url}/v1/sessions/${sessionId}/events?token=${token}`);
  let isCut = false;
  stream.onCut(() => {
    isCut = true;
  });
  expect(stream.status).toBe(200);
  await eventually(() => expect(isCut).toBe(true));
});
