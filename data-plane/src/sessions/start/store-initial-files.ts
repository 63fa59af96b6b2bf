import type { InlineFile } from '@holdfast/specs/public';
import type { Contents } from '../../contents/contents.ts';
import type { Database } from '../../registry/connect.ts';
import { putInitialFiles } from '../../registry/world-files/put-initial-files.ts';

export type StoreFilesDependencies = { db: Database; contents: Pick<Contents, 'store'> };

const atOnce = 4;

/** Stores the files of a request in the session's world. May be repeated. */
export async function storeInitialFiles(
  { db, contents }: StoreFilesDependencies,
  { sessionId, files }: { sessionId: string; files: readonly InlineFile[] },
): Promise<void> {
  if (files.length === 0) return;
  const stored: { path: string; sha256: string; size: number }[] = [];
  const queue = files.values();
  const storeSome = async () => {
    for (const { path, bytes } of queue) {
      stored.push({ path, ...(await contents.store(once(bytes), { bytesMax: bytes.length })) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, storeSome));
  await putInitialFiles(db, { sessionId, files: stored });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
