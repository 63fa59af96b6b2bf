import { archiveQuerySchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { answerRelayed } from '../edge/answer-relayed.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import { streamBody } from '../edge/stream-body.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const archive = '/v1/sessions/:sessionId/archive';

/** Directories of a workspace as archives, down and up. */
export function archiveOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.get(archive, run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: archiveQuerySchema });
    return await answerRelayed(edge, c, (sink) =>
      verbs.readArchive({ caller: c.get('caller'), ...path, ...query, ...sink }),
    );
  });

  app.put(archive, run, async (c) => {
    const shape = { path: ofSession, query: archiveQuerySchema, body: 'streamed' } as const;
    const { path, query } = await readRequest(edge, c, shape);
    return c.json(await verbs.putArchive({ caller: c.get('caller'), ...path, ...query, ...streamBody(edge, c) }));
  });
}
