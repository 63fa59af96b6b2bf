import { expect, test } from 'vitest';
import { readPlainRequest } from './plain-request.ts';

const usual = ['Host: a', 'Connection: keep-alive', 'Authorization: Bearer t', 'Content-Type: application/json'];
const bytes = (headers: string[], body = '{}', line = 'POST /v1/steps HTTP/1.1') =>
  Buffer.from(`${[line, ...headers].join('\r\n')}\r\n\r\n${body}`);

const read = (chunk: Buffer) =>
  readPlainRequest(chunk, {
    isPath: (path) => path === '/v1/steps',
    isPlainHeader: (name) => name === 'authorization' || name === 'accept',
  });

test('reads a request whatever the case and order of its headers', () => {
  const headers = ['content-length: 2', 'HOST: a', 'authorization: Bearer t', 'content-type: application/json'];
  expect(read(bytes(headers))).toEqual({
    path: '/v1/steps',
    headers: new Map([
      ['content-length', '2'],
      ['host', 'a'],
      ['authorization', 'Bearer t'],
      ['content-type', 'application/json'],
    ]),
    body: Buffer.from('{}'),
  });
});

test.each<[string, Buffer]>([
  ['only its head', bytes([...usual, 'Content-Length: 2'], '')],
  ['a part of its body', bytes([...usual, 'Content-Length: 3'])],
  ['the first byte of the longest body', bytes([...usual, 'Content-Length: 65536'], '{')],
])('waits for the rest of a request with %s', (_title, chunk) => {
  expect(read(chunk)).toBe('part');
});

test.each<[string, Buffer]>([
  ['another method', bytes([...usual, 'Content-Length: 2'], '{}', 'GET /v1/steps HTTP/1.1')],
  ['another path', bytes([...usual, 'Content-Length: 2'], '{}', 'POST /v1/steps/ HTTP/1.1')],
  ['an older version of HTTP', bytes([...usual, 'Content-Length: 2'], '{}', 'POST /v1/steps HTTP/1.0')],
  ['an unknown header', bytes([...usual, 'Content-Length: 2', 'X-Other: 1'])],
  ['an encoded body', bytes([...usual, 'Transfer-Encoding: chunked'], '0')],
  ['two lengths', bytes([...usual, 'Content-Length: 2', 'Content-Length: 2'])],
  ['two tokens', bytes([...usual, 'Authorization: Bearer u', 'Content-Length: 2'])],
  ['no host', bytes([...usual.slice(1), 'Content-Length: 2'])],
  ['a connection that is to close', bytes(['Host: a', 'Connection: close', ...usual.slice(2), 'Content-Length: 2'])],
  ['another type', bytes([...usual.slice(0, 3), 'Content-Type: text/plain', 'Content-Length: 2'])],
  ['a header that goes on in the next line', bytes([...usual, ' folded: 1', 'Content-Length: 2'])],
  ['a space before the colon', bytes([...usual, 'Content-Length : 2'])],
  ['a signed length', bytes([...usual, 'Content-Length: +2'])],
  ['a part of a long body', bytes([...usual, 'Content-Length: 65537'])],
  ['an empty value', bytes([...usual, 'Accept: ', 'Content-Length: 2'])],
  ['a space after its value', bytes([...usual, 'Accept: a ', 'Content-Length: 2'])],
  ['a control character in a value', bytes([...usual, 'Accept: a\u0001b', 'Content-Length: 2'])],
  ['a line that ends without a return', bytes([...usual, 'Accept: a\nX: b', 'Content-Length: 2'])],
  ['more than its body', bytes([...usual, 'Content-Length: 1'])],
  ['half of its head', bytes(usual).subarray(0, 60)],
])('leaves a request with %s to Node', (_title, chunk) => {
  expect(read(chunk)).toBeNull();
});
