import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { type FrameAnswer, streamFrames } from '../../src/http/stream-frames.ts';
import { SharedTimer } from '../../src/steps/shared-timer.ts';
import { StepLog } from '../../src/steps/step-log.ts';

/** An answer that counts the bytes that were written. */
class CountingAnswer extends EventEmitter implements FrameAnswer {
  readonly destroyed = false;
  readonly writableLength = 0;
  readonly socket = null;
  bytes = 0;
  isEnded = false;
  get headersSent() {
    return this.bytes > 0;
  }
  setHeader(): void {}
  writeHead(): void {}
  write(bytes: Uint8Array): boolean {
    this.bytes += bytes.length;
    return true;
  }
  end(): void {
    this.isEnded = true;
  }
}

const block = Buffer.alloc(64 * 1024);

test('much output is sent on while the step runs and its first frames are still gathered', () => {
  const log = new StepLog();
  const outgoing = new CountingAnswer();
  streamFrames(outgoing, { log, cursor: log.cursorAfter(0), gathering: new SharedTimer(), isWatched: false });
  for (let sent = 0; sent < 3; sent++) log.append('stdout', block);
  expect(outgoing.bytes).toBe(0);
  log.append('stdout', block);
  expect(outgoing.bytes).toBeGreaterThan(4 * block.length);
  const before = outgoing.bytes;
  log.append('stdout', block);
  expect(outgoing.bytes).toBe(before);
  log.finish({
    status: 'succeeded',
    stateSurvived: true,
    durationMs: 1,
    cause: null,
    contextEpoch: 1,
    executionCount: 1,
  });
  expect(outgoing.isEnded).toBe(true);
  expect(outgoing.bytes).toBeGreaterThan(before + block.length);
});
