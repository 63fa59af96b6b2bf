import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** One file at a time: each has an engine, a Postgres and a data-plane of its own. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['e2e/container/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['verbose', './checks/totals-reporter.ts'],
  },
});
