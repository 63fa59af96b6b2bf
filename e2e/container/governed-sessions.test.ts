import { afterAll, beforeAll, test } from 'vitest';
import { expectHostInControl, expectSafeAnalysis } from '../governed-sessions.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine();
});
afterAll(() => on[Symbol.asyncDispose]());

test('a container under safe-analysis has no network, starts no program and changes no file', () =>
  expectSafeAnalysis(on.holdfast));

test('a change of a container waits for the host, and its code gets the answers of the host', () =>
  expectHostInControl(on.holdfast));
