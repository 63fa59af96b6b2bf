import { beforeAll, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { expectFilesToOutliveSandbox, expectJob, jobLanguages } from '../files-and-jobs.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test("a session's files reach its pod, and a step's changes to them outlive the pod", () =>
  expectFilesToOutliveSandbox(holdfast));

test.each(jobLanguages)('a job in %s runs in a pod of its own, and its files outlive that pod', (language) =>
  expectJob(holdfast, language),
);
