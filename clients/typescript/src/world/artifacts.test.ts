import { expect, test } from 'vitest';
import { createConnection } from '../http/create-api.ts';
import { createArtifacts } from './artifacts.ts';

test('the URL of an artifact is a whole address', async () => {
  const path = '/v1/sessions/ses_1/artifacts/art_1/content?expires=1&signature=x';
  const connection = createConnection({
    url: 'http://server.test/under/',
    limits: { reconnectMs: 500, connectMs: 500 },
    fetch: async () =>
      Response.json({
        items: [
          { id: 'art_1', url: path },
          { id: 'art_2', url: null },
        ],
        nextCursor: null,
      }),
  });
  const artifacts: object[] = [];
  for await (const artifact of createArtifacts(connection, 'ses_1').list({ signedSeconds: 60 }))
    artifacts.push(artifact);
  expect(artifacts).toEqual([
    { id: 'art_1', url: `http://server.test/under${path}` },
    { id: 'art_2', url: null },
  ]);
});
