import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Runs one file at a time, because each starts an engine, a Postgres and a data-plane. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['e2e/container/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Set by CI alone; see vitest.config.ts at the root.
    retry: Number(process.env.HOLDFAST_TEST_RETRIES ?? 0),
    reporters: ['verbose', './checks/totals-reporter.ts'],
  },
});
