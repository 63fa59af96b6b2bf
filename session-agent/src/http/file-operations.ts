import type { IncomingHttpHeaders } from 'node:http';
import { executableHeader, linklessHeader, restoredSchema, restoreHeader } from '@holdfast/specs/agent';
import { linkTargetBytesMax, makeDirectorySchema, moveFileSchema } from '@holdfast/specs/public';
import type { Hono } from 'hono';
import { listDigests } from '../files/read/list-digests.ts';
import { listFiles } from '../files/read/list-files.ts';
import { openFile } from '../files/read/open-file.ts';
import { openVersion } from '../files/read/open-version.ts';
import { statFile } from '../files/read/stat-file.ts';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import { deleteFile } from '../files/write/delete-file.ts';
import { etagOf, type FileCondition } from '../files/write/file-condition.ts';
import { makeDirectory } from '../files/write/make-directory.ts';
import { makeLink } from '../files/write/make-link.ts';
import { moveFile } from '../files/write/move-file.ts';
import { writeFile } from '../files/write/write-file.ts';
import { answerFile } from './answer-file.ts';
import { answerVersion } from './answer-version.ts';
import { fileQuery, readQuery } from './file-query.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { readBody } from './read-body.ts';
import { parseBy, readBytes, readJson } from './read-json.ts';
import { contentDigest } from './reading/content-digest.ts';

/** Reads, writes, deletes, lists and moves files of the workspace. `GET` also answers `HEAD`. */
export function fileOperations(
  app: Hono<Environment>,
  { workspaceFiles: files }: { workspaceFiles: WorkspaceFiles },
): void {
  app.get('/v1/files', async (c) => {
    const { path, version } = readQuery(c.env.incoming.url, fileQuery.read);
    if (version === undefined) {
      using file = openFile(files.workspace, path);
      await answerFile(c.env, { file, sha256: await files.digests.of(file) });
    } else {
      using file = await openVersion(files, { path, version });
      await answerVersion(c.env.outgoing, file);
    }
    return answeredItself;
  });

  app.put('/v1/files', async (c) => {
    const { path } = readQuery(c.env.incoming.url, fileQuery.write);
    const { headers } = c.env.incoming;
    const sha256 = contentDigest(headers['content-digest'] as string | undefined);
    const executable = headers[executableHeader] === 'true';
    const restored = restoredOf(headers);
    if (restored === 'link') {
      const target = (await readBytes(c.env.incoming, linkTargetBytesMax)).toString();
      const { isNew, ...written } = makeLink(files.workspace, { path, target });
      files.changedByHost(path);
      return c.json(written, isNew ? 201 : 200);
    }
    const restoring =
      restored === undefined ? undefined : { mode: restored.startsWith('0') ? Number.parseInt(restored, 8) : null };
    const input = {
      path,
      bytesMax: files.fileBytesMax,
      sha256,
      condition: conditionOf(headers),
      executable,
      isLinkless: headers[linklessHeader] === 'true',
      restoring,
    };
    const { isNew, ...written } = await writeFile(files, { ...input, body: readBody(c.env.incoming) });
    files.changedByHost(path);
    return c.json(written, isNew ? 201 : 200, { etag: etagOf(written.sha256) });
  });

  app.delete('/v1/files', async (c) => {
    const { path, recursive } = readQuery(c.env.incoming.url, fileQuery.delete);
    const { headers } = c.env.incoming;
    await deleteFile(files, {
      path,
      recursive,
      condition: conditionOf(headers),
      exact: restoredOf(headers) !== undefined,
    });
    files.changedByHost(path);
    return c.body(null, 204);
  });

  app.get('/v1/files/list', (c) => c.json(listFiles(files.workspace, readQuery(c.env.incoming.url, fileQuery.list))));

  app.get('/v1/files/stat', async (c) => {
    const { path } = readQuery(c.env.incoming.url, fileQuery.stat);
    return c.json(await statFile(files, path));
  });

  app.get('/v1/files/digests', async (c) =>
    c.json(await listDigests(files, readQuery(c.env.incoming.url, fileQuery.digests))),
  );

  app.post('/v1/files/move', async (c) => {
    const move = await readJson(c.env.incoming, moveFileSchema);
    moveFile(files.workspace, move, { isLinkless: c.env.incoming.headers[linklessHeader] === 'true' });
    files.changedByHost(move.from, move.to);
    return c.body(null, 204);
  });

  app.post('/v1/directories', async (c) => {
    const { path } = await readJson(c.env.incoming, makeDirectorySchema);
    const { headers } = c.env.incoming;
    const exact = restoredOf(headers) !== undefined;
    const isLinkless = headers[linklessHeader] === 'true';
    const { isNew } = makeDirectory(files.workspace, path, { exact, isLinkless });
    if (isNew) files.changedByHost(path);
    return c.body(null, isNew ? 201 : 204);
  });
}

const conditionOf = (headers: IncomingHttpHeaders): FileCondition => ({
  ifMatch: headers['if-match'],
  ifNoneMatch: headers['if-none-match'],
});

/** The state of the world that the request restores; undefined if it is a change. @throws Problem `invalid-request` */
const restoredOf = (headers: IncomingHttpHeaders) => parseBy(restoredSchema.optional(), headers[restoreHeader]);
