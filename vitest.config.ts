import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{specs,data-plane,session-agent,runtime-images,checks}/**/*.test.ts'],
    globalSetup: ['data-plane/test/support/global-postgres.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The totals come last, as the one line that scripts read.
    reporters: ['default', './checks/totals-reporter.ts'],
  },
});
