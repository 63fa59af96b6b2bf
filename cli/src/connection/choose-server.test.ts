import { expect, test } from 'vitest';
import { chooseServer } from './choose-server.ts';

const stored = {
  current: 'team',
  servers: { team: { url: 'https://team.test', apiKey: 'hf_team' }, own: { url: 'http://own.test' } },
};

test.each([
  ['an option before all', { url: 'http://a.test' }, { url: 'http://b.test' }, 'http://a.test', undefined],
  ['a named server before the environment', { server: 'own' }, { url: 'http://b.test' }, 'http://own.test', undefined],
  ['the environment before the stored one', {}, { url: 'http://b.test' }, 'http://b.test', undefined],
  ['the current server with its key', {}, {}, 'https://team.test', 'hf_team'],
  ['the stored key before that of the environment', {}, { apiKey: 'hf_other' }, 'https://team.test', 'hf_team'],
  [
    'a key of the environment for a server without one',
    { server: 'own' },
    { apiKey: 'hf_x' },
    'http://own.test',
    'hf_x',
  ],
  ['a key of an option before all', { apiKey: 'hf_y' }, {}, 'https://team.test', 'hf_y'],
])('takes %s', (_, options, environment, url, apiKey) => {
  expect(chooseServer(options, environment, stored)).toMatchObject({ url, apiKey });
});

test('a stored key goes to no other server', () => {
  expect(chooseServer({ url: 'https://evil.test' }, {}, stored).apiKey).toBeUndefined();
  expect(chooseServer({}, { url: 'https://evil.test' }, stored).apiKey).toBeUndefined();
});

test('without any setting it is the server of `holdfast up`', () => {
  expect(chooseServer({}, {}, { servers: {} }).url).toBe('http://127.0.0.1:8080');
});

test.each(['x', 'constructor'])('rejects %s, which is not stored, and tells those that are', (server) => {
  expect(() => chooseServer({ server }, {}, stored)).toThrow('there are team, own');
});
