import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import ByPath from './by-path.ts';

/** Runs one file at a time, because all files share one installation. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['e2e/**/*.test.ts'],
    exclude: ['e2e/container/**'],
    globalSetup: ['e2e/own-cluster.ts'],
    pool: 'forks',
    fileParallelism: false,
    sequence: { sequencer: ByPath },
    testTimeout: 120_000,
    hookTimeout: 400_000,
    // Set by CI alone; see vitest.config.ts at the root.
    retry: Number(process.env.HOLDFAST_TEST_RETRIES ?? 0),
    reporters: ['verbose', './checks/totals-reporter.ts'],
  },
});
