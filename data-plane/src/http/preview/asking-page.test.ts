import { expect, test } from 'vitest';
import { createPreviewHosts } from '../../ports/preview-hosts.ts';
import { isFromOtherSession } from './asking-page.ts';

const hosts = createPreviewHosts({ name: 'preview.example', port: null, isSecure: true });
const sessionId = `ses_${'0'.repeat(26)}`;
const own = `https://8000-${'0'.repeat(26)}.preview.example`;
const sibling = `https://3000-${'0'.repeat(26)}.preview.example`;
const other = `https://8000-${'1'.repeat(26)}.preview.example`;
const page = (site: string, more: object = {}) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', ...more });

test.each([
  ['GET', {}, false],
  ['GET', { origin: own }, false],
  ['GET', { origin: sibling }, false],
  ['GET', { origin: own.toUpperCase() }, false],
  ['GET', { origin: other }, true],
  ['POST', { origin: 'null' }, true],
  ['POST', { origin: 'https://elsewhere.example' }, true],
  ['GET', page('same-origin'), false],
  ['POST', page('same-origin', { origin: 'null' }), false],
  ['GET', page('none'), false],
  ['GET', page('same-site'), true],
  ['GET', page('same-site', { referer: `${other}/a` }), true],
  ['GET', page('same-site', { referer: `${sibling}/a` }), false],
  ['GET', page('same-site', { referer: `${own}@elsewhere.example/` }), true],
  ['GET', page('same-site', { referer: `https://elsewhere.example/${own}/` }), true],
  ['GET', page('same-site', { origin: other, referer: `${own}/` }), true],
  ['GET', page('cross-site'), true],
  ['GET', page('same-site', { 'sec-fetch-mode': 'navigate', referer: `${other}/` }), false],
  ['GET', page('cross-site', { 'sec-fetch-mode': 'navigate' }), false],
  ['POST', page('same-site', { 'sec-fetch-mode': 'navigate', origin: other }), true],
  ['POST', page('same-site', { 'sec-fetch-mode': 'navigate' }), true],
  ['GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'websocket', origin: other }, true],
])('%s with %j may be asked for by a page of another session: %j', (method, headers, expected) => {
  expect(isFromOtherSession({ method, headers }, { hosts, sessionId })).toBe(expected);
});
