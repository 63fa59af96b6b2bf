import type { Problem, Process as ProcessRecord, SignalProcess, TerminalSize } from '../generated/api.ts';

/** A signal that a process can be sent. */
export type Signal = NonNullable<SignalProcess['signal']>;

/** The texts that a client sends on a channel. */
export type ChannelCommand = ({ type: 'resize' } & TerminalSize) | { type: 'signal'; signal: Signal } | { type: 'end' };

/** The texts that a client gets. Newer servers may have others. */
export type ChannelNotice =
  | { type: 'opened'; process: ProcessRecord }
  | { type: 'position'; seq: number }
  | { type: 'truncated'; seq: number; bytes: number }
  | { type: 'problem'; problem: Problem }
  | { type: 'unread'; bytes: number }
  | { type: 'finished'; seq: number; process: ProcessRecord };
