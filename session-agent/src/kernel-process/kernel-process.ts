import type { Socket } from 'node:net';
import type { FifoReader } from './fifo-reader.ts';

/** The root of a tree of processes. Descendants that left its group and session carry `marker` in their environment. */
export type ProcessTree = { pid: number; startedAt: number; marker: string };

/** A started kernel: its process tree, its channels and its end. */
export type KernelProcess = {
  tree: ProcessTree;
  /** fd 3: messages both ways. */
  control: Socket;
  /** fd 4: when it closes, the kernel knows that the agent is gone. */
  lifeline: Socket;
  /** Whether interrupts go over fd 4, as the step's number, instead of by SIGINT. */
  interruptsByLifeline: boolean;
  /** Whether the number of an interrupted step also goes over fd 3, beside the signal. */
  wantsInterruptNumbers?: boolean;
  /** Whether messages are lines; see messages/line-codec.ts. */
  speaksLines?: boolean;
  stdout: FifoReader;
  stderr: FifoReader;
  /** Never rejects. */
  ended: Promise<ProcessEnd>;
};

/** Both are null if the end of the process is not known. `signal` is a name. */
export type ProcessEnd = { exitCode: number | null; signal: string | null };
