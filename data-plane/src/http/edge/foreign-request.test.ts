import { expect, test } from 'vitest';
import { foreignRequest } from './foreign-request.ts';

test.each([
  [{}],
  [{ host: 'localhost' }],
  [{ host: 'LOCALHOST:8080' }],
  [{ host: '127.0.0.1:8080' }],
  [{ host: '127.8.9.10' }],
  [{ host: '[::1]:8080' }],
  [{ host: 'localhost:8080', origin: 'http://localhost:3000', fetchSite: 'same-site' }],
  [{ host: 'localhost:8080', origin: 'https://127.0.0.1', fetchSite: 'same-origin' }],
  [{ host: 'localhost:8080', origin: 'http://[::1]:8080' }],
  [{ host: 'localhost:8080', fetchSite: 'none' }],
])('%j is of this machine', (heads) => {
  expect(foreignRequest(heads)).toBeNull();
});

test.each([
  [{ host: 'rebound.example:8080' }, /host "rebound\.example:8080"/],
  [{ host: '127.0.0.1.rebound.example' }, /host/],
  [{ host: 'localhost.rebound.example' }, /host/],
  [{ host: '128.0.0.1' }, /host/],
  [{ host: 'localhost, rebound.example' }, /host/],
  [{ host: '' }, /host/],
  [{ host: 'localhost', origin: 'https://foreign.example' }, /origin "https:\/\/foreign\.example"/],
  [{ host: 'localhost', origin: 'http://localhost.foreign.example' }, /origin/],
  [{ host: 'localhost', origin: 'http://localhost@foreign.example' }, /origin/],
  [{ host: 'localhost', origin: 'null' }, /origin "null"/],
  [{ host: 'localhost', fetchSite: 'cross-site' }, /another site/],
])('%j is not', (heads, reason) => {
  expect(foreignRequest(heads)).toMatch(reason);
});
