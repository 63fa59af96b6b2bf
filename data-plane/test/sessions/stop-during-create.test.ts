import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import { nothingRunsIn } from '../support/start-holdfast.ts';

let installation: Installation;

beforeEach(async () => {
  installation = await createInstallation();
});

afterEach(() => installation[Symbol.asyncDispose]());

test.each([100, 350, 700])(
  'a stop %i ms into three creates leaves no sandbox and no session that waits for one',
  async (ms) => {
    const holdfast = await installation.start();
    const creates = Array.from({ length: 3 }, () => holdfast.request('POST', '/v1/sessions', {}).catch(() => null));
    await delay(ms);
    expect(await holdfast.stop()).toBe(0);
    await Promise.all(creates);
    await nothingRunsIn(installation.dataDir);
    const live = await installation.database.db
      .sql`select id, status from sessions where status in ('creating', 'active')`;
    expect([...live]).toEqual([]);
  },
  40_000,
);
