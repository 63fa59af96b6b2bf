import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { createPreviewHosts } from './preview-hosts.ts';

const local = createPreviewHosts({ name: 'localhost', port: null, isSecure: false });
const sessionId = newId('ses');
const label = `8000-${sessionId.slice(4)}`;

test('the host name of a port is a DNS label below the domain, and names it again', () => {
  const url = local.urlOf({ sessionId, port: 65_535 }, 'localhost:8080');
  expect(url).toBe(`http://65535-${sessionId.slice(4)}.localhost:8080`);
  expect(new URL(url).hostname.split('.')[0]).toMatch(/^[a-z0-9-]{1,63}$/);
  expect(local.placeOf(new URL(url).host)).toEqual({ sessionId, port: 65_535 });
});

test.each([
  [{ name: 'localhost', port: null, isSecure: false }, 'api:9000', `http://${label}.localhost:9000`],
  [{ name: 'localhost', port: null, isSecure: false }, undefined, `http://${label}.localhost`],
  [{ name: 'localhost', port: 81, isSecure: false }, 'api:9000', `http://${label}.localhost:81`],
  [{ name: 'p.example.com', port: null, isSecure: true }, 'api:9000', `https://${label}.p.example.com`],
  [{ name: 'p.example.com', port: 8443, isSecure: true }, 'api', `https://${label}.p.example.com:8443`],
])('the address below %j for a client of %s is %s', (domain, apiHost, expected) => {
  expect(createPreviewHosts(domain).urlOf({ sessionId, port: 8000 }, apiHost)).toBe(expected);
});

test.each([
  [`${label}.localhost`, true, true],
  [`${label}.LocalHost:80`, true, true],
  [`${label}.localhost.`, true, false],
  [`${label}.localhost:`, true, true],
  ['x.localhost', true, false],
  ['localhost', false, false],
  ['localhost:8080', false, false],
  [`${label}localhost`, false, false],
  [`${label}.localhost.example.com`, false, false],
  [`${label}.localhost@example.com`, false, false],
  ['', false, false],
])('the host %j is below the domain: %s, and names a port: %s', (host, isBelow, isPort) => {
  expect([local.isBelow(host), local.placeOf(host) !== null]).toEqual([isBelow, isPort]);
});
