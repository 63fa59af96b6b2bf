import type { ProblemSlug } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { AgentError } from '../../agent/agent-error.ts';
import { judgeCut } from './judge-cut.ts';

const cut = (kind: AgentError['kind'], slug?: ProblemSlug) =>
  new AgentError(kind, 'as told', slug === undefined ? {} : { slug });
const lost = (code: string, message?: string) => ({ status: 'lost', cause: message ? { code, message } : { code } });

test.each([
  ['undelivered', undefined, 'not-started'],
  ['refused', 'draining', 'not-started'],
  ['refused', 'step-repeated', null],
  ['cut', undefined, null],
] as const)('a first request that was %s (%s) gives the verdict %j', (kind, slug, verdict) => {
  expect(judgeCut(cut(kind, slug), { attached: false, begun: false })).toBe(verdict);
});

test.each([
  ['undelivered', undefined, null],
  ['cut', undefined, null],
  ['refused', 'not-found', { end: lost('never_started') }],
  ['refused', 'step-repeated', { end: lost('result_forgotten', 'the step ran before; its record was purged') }],
  ['refused', 'unauthenticated', { end: lost('sandbox_lost', 'as told'), condemned: 'sandbox_lost' }],
] as const)('an attempt to attach that was %s (%s) gives the verdict %j', (kind, slug, verdict) => {
  expect(judgeCut(cut(kind, slug), { attached: true, begun: false })).toEqual(verdict);
});

test('a step whose id was used before the first request is forgotten and not one that never started', () => {
  const told = { attached: true, begun: false };
  const forgotten = { end: { status: 'lost', cause: { code: 'result_forgotten' } } };
  expect(judgeCut(cut('refused', 'step-repeated'), told)).toMatchObject(forgotten);
});

test.each([false, true])('an agent that breaks the protocol is condemned (attached: %s)', (attached) => {
  expect(judgeCut(cut('invalid'), { attached, begun: false })).toEqual({
    end: lost('sandbox_lost', 'broken protocol: as told'),
    condemned: 'sandbox_lost',
  });
});

test('an agent that no longer knows a step of which it sent frames is condemned', () => {
  expect(judgeCut(cut('refused', 'not-found'), { attached: true, begun: true })).toMatchObject({
    end: { cause: { code: 'sandbox_lost' } },
    condemned: 'sandbox_lost',
  });
});

test('an error of our own is thrown on', () => {
  const error = new TypeError('a fault');
  expect(() => judgeCut(error, { attached: true, begun: false })).toThrow(error);
});
