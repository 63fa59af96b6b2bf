import { afterAll, beforeAll, test } from 'vitest';
import { expectFilesToOutliveSandbox, expectJob, jobLanguages } from '../files-and-jobs.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine();
});
afterAll(() => on[Symbol.asyncDispose]());

test("a session's files reach its container, and a step's changes to them outlive the container", () =>
  expectFilesToOutliveSandbox(on.holdfast));

test.each(jobLanguages)('a job in %s runs in a container, and its files outlive that container', (language) =>
  expectJob(on.holdfast, language),
);
