import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The checks alone, which need no database. `npm test` runs them too. */
export default defineConfig({
  test: { root: join(import.meta.dirname, '..'), include: ['checks/*.test.ts'], testTimeout: 30_000 },
});
