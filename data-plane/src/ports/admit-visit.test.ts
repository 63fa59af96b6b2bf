import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Caller } from '../sessions/caller.ts';
import { type AdmitDependencies, admitVisit } from './admit-visit.ts';
import type { OpenPort } from './open-ports.ts';

const caller = { tenant: 'default', scopes: new Set(['run']), keyId: 'key_1' } as Caller;
const port = { access: 'public', tenant: 'default', policy: null, endsAtMs: 1 } as OpenPort;
const deps: AdmitDependencies = {
  seal: { verify: () => false },
  openPorts: { find: async () => [port], findAnew: async () => [port] },
  async authenticate(key) {
    if (key === 'ours') return caller;
    throw new Problem('unauthenticated');
  },
};

test.each([
  ['ours', 'ours', true],
  ['ours', 'of the server', false],
  ['of the server', 'ours', true],
  ['ours', null, false],
  [null, null, false],
])('with the key %j, the bearer token %j is an API key: %j', async (key, bearer, isBearerOurs) => {
  const visit = { place: { sessionId: 'ses_1', port: 80 }, tokens: [], key, bearer, foreign: null };
  expect(await admitVisit(deps, visit)).toMatchObject({ isBearerOurs, caller: key === 'ours' ? caller : null });
});

test.each([
  { access: 'link', scopes: ['run'], status: 401, detail: 'this port can be visited with its link' },
  { access: 'key', scopes: ['host'], status: 403, detail: /without the scope run/ },
] as const)('refuses a visitor with the scopes $scopes at a port with the access $access by $status', async (given) => {
  const refused = admitVisit(
    {
      ...deps,
      openPorts: { find: async () => [], findAnew: async () => [{ ...port, access: given.access }] },
      authenticate: () => ({ ...caller, scopes: new Set(given.scopes) }),
    },
    { place: { sessionId: 'ses_1', port: 80 }, tokens: [], key: null, bearer: null, foreign: null },
  );
  const { status, options } = await refused.then(
    () => expect.unreachable(),
    (problem: Problem) => problem,
  );
  expect(status).toBe(given.status);
  expect(options.detail).toMatch(given.detail);
});
