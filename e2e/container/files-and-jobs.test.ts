import { afterAll, beforeAll, test } from 'vitest';
import { expectFilesToOutliveSandbox, expectJob, jobLanguages } from '../files-and-jobs.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine();
});
afterAll(() => on[Symbol.asyncDispose]());

test("a session's files go into its container, and what a step makes of them outlives the container", () =>
  expectFilesToOutliveSandbox(on.holdfast));

test.each(jobLanguages)('a job in %s runs in a container, and its files outlive that', (language) =>
  expectJob(on.holdfast, language),
);
