import type { InlineFile } from '@holdfast/specs/public';
import type { Contents } from '../../contents/contents.ts';
import { recordArtifacts } from '../../registry/artifacts/record-artifacts.ts';
import type { Database } from '../../registry/connect.ts';

export type StoreFilesDependencies = { db: Database; contents: Pick<Contents, 'store'> };

const atOnce = 4;

/** Stores the files of a request in the session's world. May be repeated. */
export async function storeInitialFiles(
  { db, contents }: StoreFilesDependencies,
  { sessionId, files }: { sessionId: string; files: readonly InlineFile[] },
): Promise<void> {
  if (files.length === 0) return;
  const put: { path: string; sha256: string; size: number }[] = [];
  const queue = files.values();
  const storeSome = async () => {
    for (const { path, bytes } of queue) {
      put.push({ path, ...(await contents.store(once(bytes), { bytesMax: bytes.length })) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, storeSome));
  await recordArtifacts(db, { sessionId, artifacts: [], world: { put, remove: [] } });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
