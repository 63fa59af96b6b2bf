import { writeSync } from 'node:fs';
import { type StreamMark, streamMark } from '@holdfast/specs/kernel';

const ownFds = { stdout: 5, stderr: 6 };

type Stream = keyof typeof ownFds;

export type Streams = ReturnType<typeof openStreams>;

/**
 * The streams of the context, to which the messages of the kernel and the output of its child processes are written. Marks keep the order in which the kernel sent them; see ../../README.md.
 * Writing blocks until the agent has read.
 */
export function openStreams() {
  let written: Stream | null = null;
  /** Null between steps. */
  let nonce: string | null = null;
  const markBoth = (mark: StreamMark) => {
    if (nonce === null) return;
    for (const fd of Object.values(ownFds)) writeAll(fd, Buffer.from(streamMark(nonce, mark)));
  };
  return {
    beginStep(stepNonce: string): void {
      nonce = stepNonce;
      written = null;
    },
    write(name: Stream, text: string | Buffer): void {
      if (written !== null && written !== name) markBoth('turn');
      written = name;
      writeAll(ownFds[name], typeof text === 'string' ? Buffer.from(text) : text);
    },
    /** Call this right before a message that belongs between what was written and what will be. */
    markMessage: (): void => markBoth('message'),
    endStep(): void {
      markBoth('end');
      nonce = null;
    },
  };
}

function writeAll(fd: number, bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } catch {
    // The agent has closed the stream, so it has given up this kernel.
  }
}
