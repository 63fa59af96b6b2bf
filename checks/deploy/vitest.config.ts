import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Separate from `npm test`, because these checks need helm and the schemas, which `checks/kubernetes-tools` fetches. */
export default defineConfig({
  test: { root: join(import.meta.dirname, '../..'), include: ['checks/deploy/*.check.ts'], testTimeout: 60_000 },
});
