import { expect, test } from 'vitest';
import { boundManifest } from './bound-manifest.ts';

const manifest = { format: 1 as const, language: 'python', interpreter: 'Python 3.13' };
const saved = (name: string) => ({ name, kind: 'variable' as const });

test('a short manifest stays as it is', () => {
  const short = { ...manifest, saved: [saved('a')], notSaved: [{ name: 'b', reason: 'a socket' }] };
  expect(boundManifest(short)).toEqual(short);
});

test('a manifest beyond 64 KiB has the names that were not saved first, and says how many it omits', () => {
  const notSaved = Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, reason: 'x'.repeat(500) }));
  const long = { ...manifest, saved: Array.from({ length: 10_000 }, (_, i) => saved(`v${i}`)), notSaved };
  const bound = boundManifest(long);
  expect(bound.notSaved).toEqual(notSaved);
  expect(bound.saved.length).toBeGreaterThan(500);
  expect(JSON.stringify(bound).length).toBeLessThan(66_000);
  expect(bound.omitted).toBe(10_000 - bound.saved.length);
});

test('the names that the kernel has left out count as omitted, too', () => {
  expect(boundManifest({ ...manifest, saved: [saved('a')], notSaved: [], omitted: 7 }).omitted).toBe(7);
  const long = Array.from({ length: 10_000 }, (_, i) => saved(`v${i}`));
  const bound = boundManifest({ ...manifest, saved: long, notSaved: [], omitted: 7 });
  expect(bound.omitted).toBe(10_007 - bound.saved.length);
});
