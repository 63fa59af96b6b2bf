import type { Config } from '../config/parse-config.ts';
import { type Contents, createContents } from '../contents/contents.ts';
import { createPostgresStore } from '../contents/postgres-store.ts';
import type { Database } from '../registry/connect.ts';

type ContentsInput = { db: Database; piecesDb: Database; s3: Config['s3'] };

/** Opens the configured stores. Contents that were stored before S3 was configured stay in Postgres. */
export async function startContents({
  db,
  piecesDb,
  s3,
}: ContentsInput): Promise<{ contents: Contents; close(): Promise<void> }> {
  const postgres = createPostgresStore({ db: piecesDb });
  if (!s3) return { contents: createContents({ db, stores: [postgres], store: postgres }), close: async () => {} };
  // Loading the client takes time and memory, so only those who use it pay for it.
  const { createS3Store } = await import('../contents/s3/create-s3-store.ts');
  const store = createS3Store(s3);
  return { contents: createContents({ db, stores: [store, postgres], store }), close: async () => store.close() };
}
