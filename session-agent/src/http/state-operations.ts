import { createReadStream } from 'node:fs';
import {
  archiveQuerySchema,
  contextEpochHeader,
  executionCountHeader,
  recoverContextSchema,
  silentCountHeader,
  takeSnapshotQuerySchema,
  takeSnapshotSchema,
} from '@holdfast/specs/agent';
import type { Hono } from 'hono';
import type { ContextSet } from '../contexts/context-set.ts';
import { contextIdOf } from './context-id-of.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { readBody } from './read-body.ts';
import { parseBy, readJson } from './read-json.ts';
import { streamPieces } from './stream-pieces.ts';

/** The code of all steps since a snapshot, and some for JSON. */
const recoverBytesMax = 160 * 1024 * 1024;

/** Saves contexts, and gives them their state back. */
export function stateOperations(app: Hono<Environment>, { contexts }: { contexts: ContextSet }): void {
  // Also after the fence: a sandbox that must end is saved once more.
  app.post('/v1/contexts/:contextId/snapshot', async (c) => {
    const context = contexts.get(contextIdOf(c.req.param('contextId')));
    const isFork = parseBy(takeSnapshotQuerySchema, c.req.query()).for === 'fork';
    const taken = await context.snapshot({ ...(await readJson(c.env.incoming, takeSnapshotSchema)), isFork });
    if (!taken) return c.body(null, 204);
    const { contextEpoch, executionCount, silentCount, archive } = taken;
    // Opened first: the next snapshot may remove the file while this one is sent.
    const pieces = createReadStream(archive.path, { highWaterMark: 256 * 1024 });
    c.env.outgoing.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': archive.size,
      [contextEpochHeader]: String(contextEpoch),
      [executionCountHeader]: String(executionCount),
      [silentCountHeader]: String(silentCount),
    });
    await streamPieces(c.env.outgoing, pieces).finally(() => archive.remove());
    return answeredItself;
  });

  app.put('/v1/contexts/:contextId/archive', async (c) => {
    contexts.assertOpen();
    const id = contextIdOf(c.req.param('contextId'));
    await contexts.putArchive(id, { by: byIn(c.req.query()), body: readBody(c.env.incoming) });
    return c.body(null, 204);
  });

  app.post('/v1/contexts/:contextId/recover', async (c) => {
    const contextId = contextIdOf(c.req.param('contextId'));
    const request = await readJson(c.env.incoming, recoverContextSchema, recoverBytesMax);
    return c.json(await contexts.recover({ contextId, by: byIn(c.req.query()), ...request }));
  });
}

/** The name of the recovery for which an archive comes. A data-plane that names none makes one after the other. */
const byIn = (query: Record<string, string>): string => parseBy(archiveQuerySchema, query).for ?? '';
