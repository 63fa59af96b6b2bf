import {
  type ChannelNotice,
  channelCommandSchema,
  channelCommands,
  commandIdSchema,
  faultWords,
  invalidRequest,
  Problem,
} from '@holdfast/specs/public';
import type { WebSocket } from 'ws';
import type { ProcessKey } from '../../../../processes/find-known-process.ts';
import type { FollowedLog } from '../../../../processes/log/follow-log.ts';
import { processView } from '../../../../processes/process-view.ts';
import { asProblem } from '../../../edge/answer-problem.ts';
import { endAt } from '../../../edge/end-with.ts';
import type { V1 } from '../../verbs.ts';
import { createOutputGate, type OutputGate } from './output-gate.ts';
import { takeMessages } from './take-messages.ts';
import { watchPeer } from './watch-peer.ts';

type Channel = {
  key: ProcessKey;
  log: FollowedLog;
  /** The place up to which the client has everything. */
  after: number;
  requestId: string;
  /** Aborted when the client has left. */
  left: AbortController;
};

/** Close codes (RFC 6455, 7.4.1). */
const normal = 1000;
const failed = 1011;
/** The process does not read what the client sends. */
const unread = 4001;

/** Connects a WebSocket with a process until either ends. Never rejects. */
export async function runChannel(edge: V1, socket: WebSocket, channel: Channel): Promise<void> {
  const { key, requestId, left } = channel;
  const release = endWithCaller(edge, socket, key);
  const gate = createOutputGate(left.signal);
  const say = (notice: ChannelNotice) => sent(socket, JSON.stringify(notice));
  const stopWatching = watchPeer(socket, edge.heartbeatMs, () => void say({ type: 'alive' }).catch(() => {}));
  socket.once('close', () => {
    left.abort();
    stopWatching();
    release();
  });
  // A failed connection closes, too.
  socket.on('error', () => {});
  const complain = (error: unknown, id?: number) => {
    const problem = asProblem(error);
    if (problem.slug === 'internal') edge.log.error({ requestId, err: error }, 'a channel failed');
    return say({ type: 'problem', problem: problem.body(requestId), ...(id !== undefined && { id }) });
  };
  let isBroken = false;
  const breakOff = (code: number) => {
    isBroken = true;
    socket.close(code);
  };
  const noteUnread = async (bytes: number) => {
    if (bytes === 0) return;
    await say({ type: 'unread', bytes });
    breakOff(unread);
  };
  const complainOfInput = async (error: unknown) => {
    await complain(error).catch(() => {});
    if (!takesNoInput(error)) breakOff(failed);
  };
  // Nothing behind a piece of input that was lost is passed on.
  takeMessages(socket, async (message, isBinary) => {
    if (isBroken) return;
    const id = isBinary ? undefined : idOf(message);
    const done = () => (id === undefined ? undefined : say({ type: 'done', id }));
    const refuse = (error: unknown) => complain(error, id);
    const taken = isBinary ? give(edge, key, message).then(noteUnread) : act(edge, key, { message, gate }).then(done);
    await taken.catch(isBinary ? complainOfInput : refuse);
  });
  try {
    await say({ type: 'opened', process: processView(channel.log.row), commands: channelCommands });
    await sendLog(socket, { ...channel, gate }, say);
    socket.close(normal);
  } catch (error) {
    if (left.signal.aborted) return;
    await complain(error).catch(() => {});
    socket.close(failed);
  }
}

/** Resolves when the client can take more. */
function sent(socket: WebSocket, message: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) =>
    socket.send(message, { binary: typeof message !== 'string' }, (error) => (error ? reject(error) : resolve())),
  );
}

async function sendLog(
  socket: WebSocket,
  { log, after, gate }: Channel & { gate: OutputGate },
  say: (notice: ChannelNotice) => Promise<void>,
): Promise<void> {
  /** The place at which the client is, if it counts the bytes. */
  let known = -1;
  let at = after;
  for await (const piece of log.pieces) {
    await gate.pass();
    at = piece.position;
    if (piece.type === 'finished') return await say({ type: 'finished', seq: at, process: processView(piece.row) });
    if (piece.type === 'truncated') await say({ type: 'truncated', seq: at, bytes: piece.missing });
    else {
      const start = at - piece.bytes.length;
      if (start !== known) await say({ type: 'position', seq: start });
      await sent(socket, piece.bytes);
    }
    known = at;
  }
}

/** Returns how many bytes of input the process had no room for. */
async function give({ verbs }: V1, key: ProcessKey, bytes: Buffer): Promise<number> {
  return bytes.length - (await verbs.sendProcessBytes({ ...key, bytes, end: false })).taken;
}

type Act = { message: Buffer; gate: OutputGate };

async function act({ verbs }: V1, key: ProcessKey, { message, gate }: Act): Promise<void> {
  const command = channelCommandSchema.safeParse(jsonOf(message), { error: faultWords });
  if (!command.success) throw invalidRequest(command.error);
  const { data } = command;
  if (data.type === 'end') await verbs.sendProcessBytes({ ...key, bytes: Buffer.alloc(0), end: true });
  else if (data.type === 'signal') await verbs.signalProcess({ ...key, request: { signal: data.signal } });
  else if (data.type === 'resize') {
    const { columns, rows } = data;
    await verbs.resizeTerminal({ ...key, size: { columns, rows } });
  } else if (data.type === 'pause-output') gate.close();
  else gate.open();
}

/** Later input is not taken either, so none gets behind one that was lost. */
const takesNoInput = (error: unknown) =>
  error instanceof Problem && (error.slug === 'stdin-closed' || error.slug === 'process-ended');

function jsonOf(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString());
  } catch {
    throw new Problem('invalid-request', { detail: 'a text on a channel must be JSON; send input as binary' });
  }
}

/** The id of a command, also of one that is not valid, so that its client hears why. */
function idOf(message: Buffer): number | undefined {
  try {
    return commandIdSchema.safeParse(JSON.parse(message.toString()).id).data;
  } catch {
    return undefined;
  }
}

/** Ends the channel when the key is revoked, or the share link or token expires. */
function endWithCaller({ addOpenRequest }: V1, socket: WebSocket, { caller }: ProcessKey): () => void {
  const end = () => socket.terminate();
  const remove = caller.keyId === null ? () => {} : addOpenRequest(caller.keyId, end);
  const release = endAt(caller.endsAtMs, end);
  return () => {
    remove();
    release();
  };
}
