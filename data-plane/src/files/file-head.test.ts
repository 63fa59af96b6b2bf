import { expect, test } from 'vitest';
import { AgentError } from '../agent/agent-error.ts';
import { fileHead } from './file-head.ts';

const etag = `"${'0a'.repeat(32)}"`;

test("passes on only those of an agent's headers that belong to a file", () => {
  const given = {
    etag,
    'accept-ranges': 'bytes',
    'content-length': '10',
    'content-range': 'bytes 0-9/20',
    'last-modified': 'Thu, 15 Jan 2026 10:00:00 GMT',
    'content-type': 'text/html',
    'set-cookie': ['a=b'],
    'content-encoding': 'gzip',
    location: 'http://elsewhere',
    connection: 'keep-alive',
  };
  const { 'content-type': _, 'set-cookie': __, 'content-encoding': ___, location, connection, ...headers } = given;
  expect(fileHead(206, given)).toEqual({ status: 206, headers });
});

test.each([
  ['a redirect', 302, {}],
  ['a success status that a read cannot have', 204, {}],
  ['a weak ETag', 200, { etag: 'W/"x"' }],
  ['a negative length', 200, { 'content-length': '-1' }],
  ['two lengths', 200, { 'content-length': '1, 2' }],
  ['an invalid range', 206, { 'content-range': 'bytes */5' }],
  ['a date that is not an HTTP date', 200, { 'last-modified': 'yesterday' }],
])('rejects %s', (_, status, headers) => {
  expect(() => fileHead(status, headers)).toThrow(AgentError);
});
