import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Api, HoldfastError, type Session } from '@holdfast/sdk';
import { Failure } from '../failures/failure.ts';
import { packFolder, type Skip } from './pack-folder.ts';
import { replaceFile } from './replace-file.ts';
import { unpackFolder } from './unpack-folder.ts';

/** Copies a file, a folder or stdin into a session. A path that is a folder there gets it under its own name, as with cp(1). */
export async function upload(api: Api, session: Session, from: string, to: string, skip: Skip): Promise<void> {
  if (from === '-') {
    await session.files.write(to, webStream(process.stdin));
    return;
  }
  const stats = await stat(from);
  const isFolder = to === '' || to.endsWith('/') || (await session.files.stat(to))?.kind === 'directory';
  const path = isFolder ? posix.join(to, basename(resolve(from))) : to;
  if (stats.isDirectory()) return await uploadFolder(api, session, { from, path, skip });
  await session.files.write(path, webStream(createReadStream(from)));
}

async function uploadFolder(
  api: Api,
  { id: sessionId, files }: Session,
  { from, path, skip }: { from: string; path: string; skip: Skip },
): Promise<void> {
  await files.makeDirectory(path);
  const archive = Readable.from(packFolder(from, skip), { objectMode: false });
  const { error, response } = await api.PUT('/v1/sessions/{sessionId}/archive', {
    params: { path: { sessionId }, query: { path, format: 'tar' } },
    headers: { 'Content-Type': 'application/x-tar' },
    body: webStream(archive) as unknown as string,
    bodySerializer: (body) => body,
    duplex: 'half',
    // Sent as it is read, and so only once: the client would keep a copy for the next try.
    fetch: (request) =>
      fetch(request).catch((cause) => {
        throw new HoldfastError('connection-failed', 'The folder was not copied', { detail: reasonOf(cause), cause });
      }),
  });
  if (!response.ok) throw problemOf(error, response.status);
}

/** That of a file that cannot be read, too. */
const reasonOf = ({ message, cause }: Error) => (cause instanceof Error && cause.message ? cause.message : message);

function problemOf(value: unknown, status: number): HoldfastError {
  const { code, title, ...fields } = (value ?? {}) as Partial<HoldfastError> & { title?: string };
  return code && title
    ? new HoldfastError(code, title, { ...fields, status })
    : new HoldfastError('unexpected-answer', `The server answered with status ${status}`, { status });
}

/** Copies a file or a folder of a session to this machine, or a file to stdout. */
export async function download(api: Api, { id, files }: Session, from: string, to: string, skip: Skip): Promise<void> {
  const found = from === '' ? { kind: 'directory' } : await files.stat(from);
  if (!found) throw new Failure(`nothing is at ${from} in ${id}`);
  if (to === '-') {
    if (found.kind === 'directory') throw new Failure(`${from} is a folder, which stdout does not take`);
    return await pipeline(Readable.fromWeb(readable(await files.stream(from))), process.stdout, { end: false });
  }
  const isFolder = to.endsWith('/') || ((await stat(to).catch(() => null))?.isDirectory() ?? false);
  const path = isFolder ? join(to, posix.basename(from) || id) : to;
  if (found.kind === 'directory') {
    const { data } = await api.GET('/v1/sessions/{sessionId}/archive', {
      params: { path: { sessionId: id }, query: { path: from, format: 'tar' } },
      parseAs: 'stream',
    });
    await unpackFolder(data as unknown as ReadableStream<Uint8Array>, path, skip);
    return;
  }
  await replaceFile(path, async (target) => {
    await pipeline(Readable.fromWeb(readable(await files.stream(from))), createWriteStream(target));
  });
}

const webStream = (stream: Readable) => Readable.toWeb(stream) as ReadableStream<Uint8Array>;

const readable = (stream: ReadableStream<Uint8Array>) => stream as Parameters<typeof Readable.fromWeb>[0];
