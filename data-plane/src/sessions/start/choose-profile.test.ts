import { expect, test } from 'vitest';
import { chooseProfile } from './choose-profile.ts';

const runtime = {
  name: 'kubernetes',
  capabilities: {
    networks: ['none', 'internet'],
    profiles: [
      { name: 'small', languages: ['python'] },
      { name: 'both', languages: ['python', 'node'] },
    ],
  },
} as const;

test('a session that asks for neither gets the strongest network and the first profile that has its language', () => {
  expect(chooseProfile(runtime, { language: 'python' })).toEqual({ network: 'none', profile: 'small' });
  expect(chooseProfile(runtime, { language: 'node' })).toEqual({ network: 'none', profile: 'both' });
});

test('a session gets what it asks for', () => {
  const wish = { language: 'python', network: 'internet', profile: 'both' } as const;
  expect(chooseProfile(runtime, wish)).toEqual({ network: 'internet', profile: 'both' });
});

test.each([
  [{ language: 'python', profile: 'huge' }, '/profile', /small, both/],
  [{ language: 'node', profile: 'small' }, '/profile', /has python, not node/],
] as const)(
  'a profile that does not exist or lacks the language is refused, and the choices are named: %j',
  (wish, pointer, detail) => {
    expect(() => chooseProfile(runtime, wish)).toThrow(
      expect.objectContaining({
        slug: 'unsupported-by-runtime',
        options: expect.objectContaining({ errors: [{ pointer, detail: expect.stringMatching(detail) }] }),
      }),
    );
  },
);

test('a language that no profile has is refused', () => {
  const { networks } = runtime.capabilities;
  const offering = { name: 'process', capabilities: { networks, profiles: [] } };
  expect(() => chooseProfile(offering, { language: 'python' })).toThrow(/no profile has python/);
});

test('a network that the runtime cannot give is refused', () => {
  const offering = { name: 'process', capabilities: { ...runtime.capabilities, networks: ['internet'] as const } };
  expect(() => chooseProfile(offering, { language: 'python', network: 'none' })).toThrow(/cannot give network "none"/);
});
