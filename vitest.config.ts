import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Set by CI alone, so that a person sees every failure. A test that passes on a repeat is listed at the end of the output. */
const retry = Number(process.env.HOLDFAST_TEST_RETRIES ?? 0);

/** They load the machine on purpose, freeze servers or measure, so each of them runs without another test beside it. */
const alone = ['bench', 'checker', 'frozen-database', 'hostile'].map(
  (folder) => `data-plane/test/${folder}/**/*.test.ts`,
);
alone.push('session-agent/test/stress/**/*.test.ts', 'session-agent/test/kernel/order.test.ts');

/** Most tests wait more than they work. */
const maxWorkers = availableParallelism() + 1;

const integration = {
  globalSetup: ['data-plane/test/support/global-setup.ts'],
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 30_000,
  retry,
};

export default defineConfig({
  test: {
    // The totals come last, as the one line that scripts read.
    reporters: ['default', './checks/totals-reporter.ts'],
    projects: [
      {
        test: {
          // No Postgres and no processes of ours: fast enough to run on every save.
          name: 'unit',
          include: [
            '{specs,connections,data-plane,session-agent,clients/*,cli}/src/**/*.test.ts',
            'data-plane/bench/**/*.test.ts',
          ],
          isolate: false,
          testTimeout: 30_000,
          maxWorkers,
        },
      },
      {
        // They read every source and start the compiler.
        test: { name: 'checks', include: ['checks/*.test.ts'], testTimeout: 120_000, maxWorkers },
      },
      {
        test: {
          ...integration,
          name: 'integration',
          include: [
            '{specs,connections,data-plane,session-agent,clients/*,cli,examples,runtime-images}/test/**/*.test.ts',
          ],
          exclude: alone,
          maxWorkers,
        },
      },
      {
        test: { ...integration, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
