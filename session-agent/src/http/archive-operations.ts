import type { Hono } from 'hono';
import { packArchive } from '../files/archive/pack-archive.ts';
import { unpackArchive } from '../files/archive/unpack-archive.ts';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import { fileQuery, readQuery } from './file-query.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { readBody } from './read-body.ts';
import { streamPieces } from './stream-pieces.ts';

/** Downloads and uploads directories of the workspace as archives. */
export function archiveOperations(
  app: Hono<Environment>,
  { workspaceFiles: files }: { workspaceFiles: WorkspaceFiles },
): void {
  app.get('/v1/archive', async (c) => {
    const input = readQuery(c.env.incoming.url, fileQuery.archive);
    const pieces = packArchive(files.workspace, input);
    c.env.outgoing.setHeader('content-type', input.format === 'tar' ? 'application/x-tar' : 'application/zip');
    await streamPieces(c.env.outgoing, pieces);
    return answeredItself;
  });

  app.put('/v1/archive', async (c) => {
    const { path, format } = readQuery(c.env.incoming.url, fileQuery.archive);
    const body = readBody(c.env.incoming);
    try {
      return c.json(await unpackArchive(files.workspace, { path, format, body, bytesMax: files.archiveBytesMax }));
    } finally {
      files.changedByHost(path);
    }
  });
}
