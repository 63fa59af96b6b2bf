import { expect, test } from 'vitest';
import { answerHeaders } from './answer-headers.ts';
import { trailersOf } from './hop-by-hop.ts';
import { requestHeaders } from './request-headers.ts';

const cookieNames = ['__Host-holdfast-port', 'holdfast-port'];
const plain = { isUpgrade: false, hasBody: false, contentLength: null };
const from = { cookieNames, isBearerOurs: false, host: 'h.localhost:80', isSecure: false, remoteAddress: '10.0.0.1' };
const sent = (rawHeaders: string[], change: object = {}) =>
  requestHeaders({ ...plain, ...from, ...change, rawHeaders });
const ours = [
  ...['X-Forwarded-For', '10.0.0.1', 'X-Forwarded-Host', 'h.localhost:80', 'X-Forwarded-Port', '80'],
  ...['X-Forwarded-Proto', 'http', 'Via', '1.1 h.localhost:80', 'Connection', 'close'],
];

test.each<[string, string[], string[]]>([
  ['a header of the application', ['X-A', '1', 'x-a', '2'], ['X-A', '1', 'x-a', '2']],
  ['a header of the connection', ['Connection', 'X-A, close', 'X-A', '1', 'Keep-Alive', '5', 'TE', 'trailers'], []],
  ['where it came from', ['x-forwarded-for', '1', 'X-Forwarded-Proto', 'https', 'Forwarded', 'for=1'], []],
  ['its framing', ['Content-Length', '5', 'Transfer-Encoding', 'chunked', 'Expect', '100-continue'], []],
  ['our own headers', ['X-API-Key', 'k', 'Holdfast-Wait-Seconds', '1'], []],
  ['what it would take for ours', ['X_Api-Key', 'k', 'X_Forwarded_For', '1', 'Content_Length', '5'], []],
  ['no announcement of trailers', ['Trailer', 'X-Sum'], []],
  ['only our cookies', ['Cookie', 'holdfast-port=t; __Host-holdfast-port=u'], []],
  ['our cookies among others', ['Cookie', 'a=1; holdfast-port=t;b=2;'], ['Cookie', 'a=1; b=2']],
  ['a bearer token of the application', ['Authorization', 'Bearer jwt'], ['Authorization', 'Bearer jwt']],
  ['a bearer token with the form of ours', ['Authorization', 'Bearer hf_x'], []],
])('a server gets %s as it should', (_, raw, expected) => {
  expect(sent(raw)).toEqual([...expected, ...ours]);
});

test('a server gets no bearer token that is ours, and the framing that we read', () => {
  expect(sent(['Authorization', 'Bearer other'], { isBearerOurs: true })).toEqual(ours);
  expect(sent([], { hasBody: true, contentLength: '5' })).toEqual([...ours, 'Content-Length', '5']);
  expect(sent([], { hasBody: true })).toEqual([...ours, 'Transfer-Encoding', 'chunked']);
  expect(sent([], { isUpgrade: true })).toEqual([...ours.slice(0, -1), 'Upgrade', 'Upgrade', 'websocket']);
  expect(sent(['Via', '1.1 a', 'via', '1.1 b'])).toContain('1.1 a, 1.1 b, 1.1 h.localhost:80');
});

test.each<[string, string | null]>([
  ['a=1; Path=/; Secure', 'a=1; Path=/; Secure'],
  ['a=1; Domain=localhost; Path=/', 'a=1; Path=/'],
  ['a=1;domain = .example.com;DOMAIN', 'a=1'],
  ['a=domain=x; Domain=', 'a=domain=x'],
  ['holdfast-port=stolen', null],
  [' __host-holdfast-port =stolen; Path=/', null],
  ['__HOST-holdfast-port=stolen', null],
])('a visitor gets the cookie %j as %j', (cookie, expected) => {
  expect(answerHeaders(['Set-Cookie', cookie], cookieNames)).toEqual(expected === null ? [] : ['Set-Cookie', expected]);
});

test('a visitor gets nothing of the connection of a server, nor the way to another one', () => {
  const raw = [
    'Connection',
    'X-A',
    'X-A',
    '1',
    'Alt-Svc',
    'h3=":1"',
    'Clear-Site-Data',
    '"cookies"',
    'Transfer-Encoding',
    'chunked',
    'X-B',
    '2',
  ];
  expect(answerHeaders(raw, cookieNames)).toEqual(['X-B', '2']);
  expect(trailersOf(['X-Sum', '7', 'Set-Cookie', 'a=b', 'Content-Length', '1', 'Host', 'x'])).toEqual([['X-Sum', '7']]);
});
