import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { filePathSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import type { Contents } from '../../../contents/contents.ts';
import type { Database } from '../../../registry/connect.ts';
import { listWorldFiles, type WorldFile } from '../../../registry/world-files/list-world-files.ts';
import type { createKeyedLocks } from '../../../timing/keyed-locks.ts';
import { type WriteWorldDependencies, writeToWorld } from '../../../world/write-to-world.ts';
import { allowsPath } from '../../rules/path-patterns.ts';
import { callEntry } from './call-entry.ts';
import {
  type OperationCaller,
  OperationDenied,
  OperationFailed,
  type OwnOperation,
  ownOperation,
} from './own-operation.ts';

export type WorldOperationsDependencies = WriteWorldDependencies & {
  db: Database;
  contents: Pick<Contents, 'open'>;
  /** One operation of a session at a time, so that their files are not in memory together. */
  reading: Pick<ReturnType<typeof createKeyedLocks>, 'run'>;
};

const encoding = z.enum(['utf8', 'base64']).default('utf8');
const mebibyte = 2 ** 20;
/** As base64 it is within the limit for a value. */
const readBytesMax = 2 * mebibyte;
const listedMax = 10_000;

/** Beyond these the answer is not complete. A file takes at most some 20 ms, in which the replica does nothing else. */
const search = {
  bytesMax: 16 * mebibyte,
  fileBytesMax: 2 * mebibyte,
  matchesMax: 500,
  /** A longer line is cut around the match. */
  lineMax: 500,
};

/** The session's world: its approved files, without what the running step has just written. */
export function worldOperations(deps: WorldOperationsDependencies): Record<string, OwnOperation> {
  const { db, reading } = deps;

  const files = async (caller: OperationCaller, prefix = '') => {
    const all = await listWorldFiles(db, { sessionId: caller.step.live.sessionId });
    return all.filter(({ path }) => isWithin(path, prefix) && mayRead(caller, path));
  };
  const oneAtATime = <T>({ step }: OperationCaller, work: () => Promise<T>) => reading.run(step.live.sessionId, work);

  return {
    'world.read': ownOperation(z.tuple([filePathSchema, encoding]), (caller, path, as) =>
      oneAtATime(caller, async () => {
        const file = (await files(caller, path)).find((found) => found.path === path);
        if (!file) throw new OperationFailed('not-found', `the world has no file ${path}`);
        if (file.target) throw new OperationFailed('not-found', `${path} is a link to ${file.target}`);
        if (file.size > readBytesMax)
          throw new OperationFailed('ValueTooLarge', `${path} has more than ${readBytesMax} bytes`);
        const bytes = await bytesOf(deps, file);
        if (as === 'utf8' && !isUtf8(bytes))
          throw new OperationFailed('not-text', `${path} is no UTF-8; read it with the encoding base64`);
        return bytes.toString(as);
      }),
    ),

    'world.list': ownOperation(z.tuple([z.string().max(8192).default('')]), async (caller, prefix) => {
      const listed = await files(caller, prefix);
      if (listed.length > listedMax)
        throw new OperationFailed('ValueTooLarge', `the world has more than ${listedMax} files there`);
      return listed.map(({ path, size, sha256, executable, mode, target }) => ({
        ...{ path, size, sha256, executable },
        ...(mode && { mode }),
        ...(target && { target }),
      }));
    }),

    'world.search': ownOperation(
      z.tuple([z.string().min(1).max(1000), z.string().max(8192).default('')]),
      (caller, wanted, prefix) =>
        oneAtATime(caller, async () =>
          searchIn(
            deps,
            (await files(caller, prefix)).filter(({ target }) => !target),
            wanted,
          ),
        ),
    ),

    'world.fingerprint': ownOperation(z.tuple([]), async (caller) => {
      const hash = createHash('sha256');
      for (const { path, sha256, executable, target } of await files(caller)) {
        hash.update(`${sha256} ${target ? 'l' : executable ? 'x' : '-'} ${path}\0`);
      }
      return hash.digest('hex');
    }),

    'world.write': ownOperation(
      z.tuple([filePathSchema, z.string(), encoding]),
      async ({ step }, path, content, as) => {
        const bytes = Buffer.from(content, as);
        const args = { path, size: bytes.length };
        const entry = callEntry(step, { operation: 'world.write', arguments: args, decision: { allowed: true } });
        const written = await writeToWorld(deps, { route: step.route, stepId: step.live.id, path, bytes, entry });
        if ('rule' in written) throw new OperationDenied(written.rule);
        if ('omission' in written) throw new OperationFailed(written.omission, `there is no room for ${path}`);
        return written;
      },
      { isAudited: true },
    ),
  };
}

const mayRead = ({ policy }: OperationCaller, path: string) =>
  policy === null || allowsPath(policy.world.readPatterns, path);

const isWithin = (path: string, prefix: string) =>
  prefix === '' || path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);

async function bytesOf({ contents }: Pick<WorldOperationsDependencies, 'contents'>, file: WorldFile): Promise<Buffer> {
  const content = await contents.open(file.sha256);
  if (!content) throw new OperationFailed('not-found', `${file.path} is not stored any more`);
  const parts: Uint8Array[] = [];
  for await (const part of content.read()) parts.push(part);
  return Buffer.concat(parts);
}

type Match = { path: string; line: number; text: string };

/** The lines that contain the text, exactly as it is, each once. `isCut`: there may be more of them. */
async function searchIn(
  deps: Pick<WorldOperationsDependencies, 'contents'>,
  files: readonly WorldFile[],
  wanted: string,
): Promise<{ matches: Match[]; isCut: boolean }> {
  const matches: Match[] = [];
  let bytes = 0;
  let isCut = false;
  for (const file of files) {
    if (file.size > search.fileBytesMax || bytes + file.size > search.bytesMax) {
      isCut = true;
      continue;
    }
    bytes += file.size;
    const content = await bytesOf(deps, file);
    if (!isUtf8(content)) continue;
    for (const match of matchesIn(content.toString(), wanted)) {
      if (matches.length === search.matchesMax) return { matches, isCut: true };
      matches.push({ path: file.path, ...match });
    }
  }
  return { matches, isCut };
}

/** Looks at each character once. */
function* matchesIn(text: string, wanted: string): Generator<Omit<Match, 'path'>> {
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(wanted); at >= 0; ) {
    for (let end = text.indexOf('\n', counted); end >= 0 && end < at; end = text.indexOf('\n', counted)) {
      line += 1;
      counted = end + 1;
    }
    const lineEnd = text.indexOf('\n', at);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const from = Math.max(counted, at - search.lineMax / 2);
    yield { line, text: text.slice(from, Math.min(end, from + search.lineMax)) };
    at = lineEnd < 0 ? -1 : text.indexOf(wanted, lineEnd + 1);
  }
}
