import { policyPresets } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { chooseTerms } from './choose-terms.ts';

const runtime = (networks: ('internet' | 'none')[]) => ({
  name: 'process',
  capabilities: { networks, profiles: [{ name: 'default', languages: ['python', 'bash'] as const }] },
});
const python = { language: 'python' } as const;
const policy = policyPresets['safe-analysis'];

test('a policy without the network gives the class none, although the runtime would give another one', () => {
  const offered = runtime(['internet', 'none']);
  expect(chooseTerms(offered, { policy: null, request: python }).network).toBe('internet');
  expect(chooseTerms(offered, { policy, request: python })).toEqual({ policy, network: 'none', profile: 'default' });
});

test('a runtime that cannot take the network from code refuses such a policy', () => {
  const refused = (pointer: string) =>
    expect.objectContaining({
      slug: 'unsupported-by-runtime',
      options: expect.objectContaining({ errors: [{ pointer, detail: expect.any(String) }] }),
    });
  expect(() => chooseTerms(runtime(['internet']), { policy, request: python })).toThrow(refused('/policy'));
  const closed = { ...python, network: 'none' } as const;
  expect(() => chooseTerms(runtime(['internet']), { policy, request: closed })).toThrow(refused('/network'));
  const online = { ...policy, execution: { ...policy.execution, allowNetworkCalls: true } };
  expect(chooseTerms(runtime(['internet']), { policy: online, request: python }).network).toBe('internet');
});
