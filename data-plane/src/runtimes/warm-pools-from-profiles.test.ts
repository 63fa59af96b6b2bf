import { expect, test } from 'vitest';
import { podManifest } from './kubernetes/pod/pod-manifest.ts';
import { parsePodProfiles } from './kubernetes/pod/pod-profile.ts';
import { warmPoolsFromProfiles } from './warm-pools-from-profiles.ts';

const settings = {
  deployment: 'holdfast',
  database: 'db-1',
  namespace: 'sandboxes',
  uidRange: { first: 1_000_000, last: 2_000_000_000 },
  agentEnv: { HOLDFAST_AGENT_LEASE_SECONDS: '120' },
  activeDeadlineSeconds: 3600,
  unboundSeconds: 600,
};
const pools = (fields: object = {}, changed: object = {}) => {
  const profile = { name: 'python', image: 'python:1', languages: ['python'], warm: { none: 2 }, ...fields };
  const profiles = parsePodProfiles(JSON.stringify({ profiles: [profile] }));
  return warmPoolsFromProfiles({ profiles, networks: ['none', 'internet'] }, (spec, profile) =>
    podManifest({ ...settings, ...changed }, { spec, profile }),
  );
};
const template = (fields?: object, changed?: object) => pools(fields, changed)[0]?.template;

test('a profile has a pool for each network class in which it asks for warm sandboxes', () => {
  const wanted = { warm: { none: 2, internet: 1 } };
  expect(pools(wanted)).toMatchObject([
    { profile: 'python', network: 'none', size: 2 },
    { profile: 'python', network: 'internet', size: 1 },
  ]);
  expect(new Set(pools(wanted).map((pool) => pool.template)).size).toBe(2);
  expect(pools({ warm: {} })).toEqual([]);
});

test('the template stays the same while the pods would be the same', () => {
  expect(template()).toBe(template());
  expect(template({ warm: { none: 5 } })).toBe(template());
});

test.each([
  [{ image: 'python:2' }, {}],
  [{ resources: { limits: { memory: '2Gi' } } }, {}],
  [{ processesMax: 64 }, {}],
  [{ labels: { team: 'a' } }, {}],
  [{}, { agentEnv: { HOLDFAST_AGENT_LEASE_SECONDS: '60' } }],
  [{}, { activeDeadlineSeconds: 60 }],
  [{}, { unboundSeconds: 60 }],
  [{}, { uidRange: { first: 5000, last: 6000 } }],
])('the template changes with %o %o', (fields, changed) => {
  expect(template(fields, changed)).not.toBe(template());
});
