import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import type { FollowedLog } from '../../../processes/log/follow-log.ts';
import type { EdgeContext } from '../../edge/edge.ts';
import { eventFormats } from '../events/event-format.ts';
import type { V1 } from '../verbs.ts';
import { answerLog } from './answer-log.ts';

test('ends what is read for a client that leaves in the middle of a piece', async () => {
  const over = Promise.withResolvers<string>();
  async function* pieces(): FollowedLog['pieces'] {
    try {
      for (let position = 1; ; position += 100_000)
        yield { type: 'stdout', position: position + 100_000, bytes: Buffer.alloc(100_000, 'x') };
    } finally {
      over.resolve('over');
    }
  }
  const followProcess = async () => ({ row: { finishedAt: null }, pieces: pieces() });
  const edge = { verbs: { followProcess }, heartbeatMs: 60_000, log: {} } as unknown as V1;
  const answer = (outgoing: ServerResponse) => {
    const c = { env: { outgoing }, req: { method: 'GET' }, var: { requestId: 'r', event: {} } };
    const key = { sessionId: 's', processId: 'p' } as Parameters<typeof answerLog>[2]['key'];
    void answerLog(edge, c as unknown as EdgeContext, { key, after: 0, format: eventFormats['text/event-stream'] });
  };
  await using server = createServer((_request, outgoing) => answer(outgoing)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(client, 'readable');
  client.destroy();
  expect(await over.promise).toBe('over');
});
