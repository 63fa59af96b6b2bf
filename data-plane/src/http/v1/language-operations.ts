import { languagesQuerySchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

export function languageOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.get('/v1/languages', run, async (c) => {
    const { query } = await readRequest(edge, c, { query: languagesQuerySchema });
    return c.json(await verbs.listProfileLanguages({ profile: query.profile }));
  });

  app.get('/v1/sessions/:sessionId/languages', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.listSessionLanguages({ caller: c.get('caller'), ...path }));
  });
}
