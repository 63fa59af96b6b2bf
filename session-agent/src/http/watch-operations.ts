import { watchFilesQuerySchema } from '@holdfast/specs/public';
import type { Hono } from 'hono';
import type { OpenWatch } from '../files/watch/file-watches.ts';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import { readQuery } from './file-query.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { streamPieces } from './stream-pieces.ts';

/** Tells what happens to files, one JSON object a line, until the reader leaves. */
export function watchOperations(
  app: Hono<Environment>,
  { workspaceFiles: files }: { workspaceFiles: WorkspaceFiles },
): void {
  app.get('/v1/files/events', async (c) => {
    const watch = await files.watches.open(readQuery(c.env.incoming.url, watchFilesQuerySchema));
    const { outgoing } = c.env;
    outgoing.on('close', watch.close);
    if (outgoing.destroyed) watch.close();
    outgoing.setHeader('content-type', 'application/x-ndjson');
    await streamPieces(outgoing, lines(watch));
    return answeredItself;
  });
}

async function* lines({ batches, close }: OpenWatch): AsyncGenerator<Buffer> {
  try {
    for await (const batch of batches()) {
      if (batch.length > 0) yield Buffer.from(batch.map((event) => `${JSON.stringify(event)}\n`).join(''));
    }
  } finally {
    close();
  }
}
