import { defineConfig } from 'vitest/config';

/** Set by CI alone, so that a person sees every failure. A test that passes on a repeat is listed at the end of the output. */
const retry = Number(process.env.HOLDFAST_TEST_RETRIES ?? 0);

export default defineConfig({
  test: {
    // The totals come last, as the one line that scripts read.
    reporters: ['default', './checks/totals-reporter.ts'],
    projects: [
      {
        test: {
          // No Postgres and no processes of ours: fast enough to run on every save.
          name: 'unit',
          include: ['{specs,data-plane,session-agent}/src/**/*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        // They read every source and start the compiler.
        test: { name: 'checks', include: ['checks/*.test.ts'], testTimeout: 30_000 },
      },
      {
        test: {
          name: 'integration',
          include: ['{specs,data-plane,session-agent,runtime-images}/test/**/*.test.ts'],
          globalSetup: ['data-plane/test/support/global-postgres.ts'],
          pool: 'forks',
          testTimeout: 30_000,
          hookTimeout: 30_000,
          retry,
        },
      },
    ],
  },
});
