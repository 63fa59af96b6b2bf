import { expect, test } from 'vitest';
import { createConnection } from './create-api.ts';

const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';

/** A connection to a server that has one answer, and the requests that it got. */
function serverOf(answer: () => Response) {
  const requests: Request[] = [];
  const { api } = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 1000, connectMs: 1000 },
    async fetch(request) {
      requests.push(request);
      return answer();
    },
  });
  return { api, requests };
}

test.each(['a/../../../ses_other', '..', '.', ''])('refuses %j in a path before a request is made', async (path) => {
  const { api, requests } = serverOf(() => new Response(null, { status: 204 }));
  const file = api.DELETE('/v1/sessions/{sessionId}/files/{path}', { params: { path: { sessionId, path } } });
  await expect(file).rejects.toMatchObject({ code: 'invalid-request' });
  expect(requests).toEqual([]);
});

test('encodes identifiers as a whole, and the parts of the path of a file', async () => {
  const { api, requests } = serverOf(() => new Response(null, { status: 204 }));
  await api.DELETE('/v1/sessions/{sessionId}', { params: { path: { sessionId: 'a/../b' } } });
  const path = { sessionId, path: './a b/./c' };
  await api.DELETE('/v1/sessions/{sessionId}/files/{path}', { params: { path } });
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    '/v1/sessions/a%2F..%2Fb',
    `/v1/sessions/${sessionId}/files/a%20b/c`,
  ]);
});

test('tells the address that a redirect leads to, and does not follow it', async () => {
  const Location = 'https://server.test/v1/sessions';
  const { api, requests } = serverOf(() => new Response(null, { status: 301, headers: { Location } }));
  const refused = { code: 'unexpected-answer', status: 301, detail: Location };
  await expect(api.POST('/v1/sessions', { body: {} })).rejects.toMatchObject(refused);
  expect(requests.map(({ redirect }) => redirect)).toEqual(['manual']);
});
