import type { Problem, Process as ProcessRecord, SignalProcess, TerminalSize } from '../generated/api.ts';

/** A signal that a process can be sent. */
export type Signal = NonNullable<SignalProcess['signal']>;

/** A text with which a client asks for something, and to which servers answer if it has an `id`. */
export type ChannelCommand = ({ type: 'resize' } & TerminalSize) | { type: 'signal'; signal: Signal } | { type: 'end' };

/** The texts that a client gets. Newer servers may have others, and older ones have neither `commands` nor answers. */
export type ChannelNotice =
  | { type: 'opened'; process: ProcessRecord; commands?: string[] }
  | { type: 'alive' }
  | { type: 'done'; id: number }
  | { type: 'position'; seq: number }
  | { type: 'truncated'; seq: number; bytes: number }
  | { type: 'problem'; problem: Problem; id?: number }
  | { type: 'unread'; bytes: number }
  | { type: 'finished'; seq: number; process: ProcessRecord };

/** The notice in a text; null if it is not one of a server. */
export function noticeOf(text: string): ChannelNotice | null {
  try {
    const value = JSON.parse(text);
    return typeof value?.type === 'string' ? value : null;
  } catch {
    return null;
  }
}
