import type { Readable } from 'node:stream';
import { type Frame, FrameSplitter, policyRevisionHeader, watchedHeader } from '@holdfast/specs/agent';
import { Client, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { createAgentConnections } from './agent-connections.ts';
import { createAgentConnector } from './agent-connector.ts';
import { AgentError } from './agent-error.ts';
import { type AgentRequest, type OnChunk, sendToAgent } from './agent-request.ts';
import { createAgentTunnels } from './agent-tunnels.ts';
import type { ByteBudget } from './byte-budget.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { createPace } from './pace.ts';
import { type AnswerList, parseAnswer } from './parse-answer.ts';
import { pullChunks } from './pull-chunks.ts';

/** The longest answer, unless a call expects a longer one. */
const answerBytesMaxDefault = 64 * 1024;
/** An answer of which only the arrival counts. It is not kept. */
const droppedBytesMax = 8 * 1024 * 1024;
const callTimeoutMs = 10_000;
const meetTimeoutMs = 5000;
const outputHeader = 'holdfast-output';
const downloadBytesMax = 1024 * 1024 * 1024;
/** For a whole file, up or down. */
export const transferTimeoutMs = 60 * 60_000;

/** One sandbox of one session, as a route names it. `token` is replaced when it is refreshed. */
export type AgentTarget = {
  endpoint: string;
  agentPublicKey: string;
  sessionId: string;
  sandboxUid: string;
  epoch: number;
  token: AgentToken;
  /** The revision of the session's policy by which requests are decided; 0 without it. */
  policyRevision?: number;
};

export type AgentToken = { token: string; expiresAt: Date };

/** The source of tokens; see `keys/agent-tokens.ts`. */
export interface AgentTokens {
  newToken(subject: Pick<AgentTarget, 'sessionId' | 'sandboxUid' | 'epoch'>): Promise<AgentToken>;
  /** The headers that let a request in. */
  authorization(target: AgentTarget): Record<string, string> | Promise<Record<string, string>>;
}

type AgentClientOptions = {
  tokens: AgentTokens;
  budget: ByteBudget;
} & Omit<Parameters<typeof createAgentConnections>[0], 'pace'>;

export type AgentCall<Answer> = Pick<AgentRequest, 'method' | 'path' | 'body' | 'upload' | 'signal' | 'onHeaders'> & {
  headers?: Record<string, string>;
  schema?: z.ZodType<Answer>;
  /** The part of the answer that can be long. */
  list?: AnswerList;
  answerBytesMax?: number;
  /** For the whole call, from the queue to the last byte. */
  timeoutMs?: number;
  /**
   * Uses the connections of steps, because the call takes long or so that the first step finds one open. `if-idle`: only if one of them is
   * open and idle, so that a session at rest keeps one connection and not two. Such a call still never waits for steps.
   */
  withSteps?: boolean | 'if-idle';
};

/** `onStart` is called first. If the file is not whole, the bytes are its beginning. */
export type AgentDownload = {
  path: string;
  signal: AbortSignal;
  onStart(file: { isWhole: boolean }): void;
  onChunk: OnChunk;
};

export type AgentRelay = Required<Pick<AgentRequest, 'path' | 'headers' | 'signal' | 'onHeaders'>> & {
  onChunk: OnChunk;
};

/** `isWatched`: a client wants the frames as they come. */
type AgentStream = { path: string; body: object; signal?: AbortSignal; onFrames: OnFrames; isWatched?: boolean };

/** `heldBytes` is the memory of a frame that is not yet complete. If it returns a promise, the rest is read when that resolves. */
export type OnFrames = (frames: Frame[], heldBytes: number) => undefined | Promise<unknown>;

export type AgentFileState = { path: string; version: string; signal: AbortSignal };

type AgentPull = Pick<AgentRequest, 'method' | 'path' | 'body' | 'onHeaders'> & { signal: AbortSignal };

export type AgentClient = ReturnType<typeof createAgentClient>;

/**
 * The session-agents seen from outside. Each sandbox has connections of its own, and every new one proves its peer before anything of a
 * session is written on it.
 */
export function createAgentClient({ tokens, budget, ...options }: AgentClientOptions) {
  const pace = createPace();
  const connections = createAgentConnections({ pace, ...options });
  const tunnels = createAgentTunnels({ pace, tokens, ...options });

  /** Gathers the body of an answer within the session's share of memory. */
  async function gather({ sessionId }: AgentTarget, dispatcher: Dispatcher, request: AgentRequest, bytesMax: number) {
    const body = new GatheredBytes({ bytesMax });
    const evicted = new AbortController();
    const share = budget.open(sessionId, (error) => evicted.abort(error));
    const signal = request.signal ? AbortSignal.any([request.signal, evicted.signal]) : evicted.signal;
    const onChunk: OnChunk = (chunk) => {
      body.add(chunk);
      share.set(body.heldBytes);
    };
    try {
      await sendToAgent(dispatcher, { ...request, signal }, onChunk);
      return body.bytes;
    } catch (error) {
      throw evicted.signal.aborted ? evicted.signal.reason : error;
    } finally {
      share.close();
    }
  }

  return {
    newToken: tokens.newToken,

    /** The public key of a sandbox that is new to us; the peer at this endpoint proves that it holds it for this uid. Throws AgentError. */
    async meet({ endpoint, uid }: { endpoint: string; uid: string }): Promise<string> {
      let publicKey = '';
      const client = new Client(endpoint, {
        connect: createAgentConnector({ uid, publicKey: null }, pace, {
          onProven: (key) => {
            publicKey = key;
          },
        }),
      });
      try {
        const request = {
          method: 'GET',
          path: '/healthz',
          headers: {},
          deadlineMs: meetTimeoutMs,
        } as const;
        await sendToAgent(client, request, counting(answerBytesMaxDefault));
        return publicKey;
      } finally {
        await client.destroy();
      }
    },

    /**
     * Opens the connection that the first request of a session will use, unless one is open, and keeps it from timing out: a claim then
     * need not wait until the peer has proved itself. Throws AgentError.
     */
    async prepare({ endpoint, uid, agentPublicKey }: { endpoint: string; uid: string; agentPublicKey: string }) {
      const { steps } = connections.of({ endpoint, sandboxUid: uid, agentPublicKey }, null);
      const request = { method: 'GET', path: '/healthz', headers: {}, deadlineMs: meetTimeoutMs } as const;
      await sendToAgent(steps, request, counting(answerBytesMaxDefault));
    },

    /** A small request with a JSON answer, checked by `schema`; without one the body is dropped. Throws AgentError. */
    async call<Answer = void>(
      target: AgentTarget,
      {
        schema,
        list,
        answerBytesMax = answerBytesMaxDefault,
        timeoutMs = callTimeoutMs,
        withSteps = false,
        ...call
      }: AgentCall<Answer>,
    ): Promise<Answer> {
      const headers = { ...call.headers, ...(await tokens.authorization(target)), ...revisionOf(target) };
      const { steps, control } = connections.of(target, target);
      const dispatcher = withSteps === true || (withSteps === 'if-idle' && steps.stats.free > 0) ? steps : control;
      const request: AgentRequest = { ...call, headers, deadlineMs: timeoutMs };
      if (!schema) {
        await sendToAgent(dispatcher, request, counting(droppedBytesMax));
        return undefined as Answer;
      }
      const body = await gather(target, dispatcher, request, answerBytesMax);
      const peer = { pace, peer: target.sandboxUid };
      return await parseAnswer(body, { schema, list, of: `${call.method} ${call.path}`, ...peer });
    },

    /**
     * A request whose answer is a stream of frames; resolves when the stream has ended. Throws AgentError.
     */
    async stream(target: AgentTarget, { path, body, signal, onFrames, isWatched }: AgentStream): Promise<void> {
      const splitter = new FrameSplitter();
      const found = tokens.authorization(target);
      const authorization = found instanceof Promise ? await found : found;
      const more = isWatched || target.policyRevision;
      const watched = isWatched ? { [watchedHeader]: 'yes' } : null;
      const headers = more ? { ...authorization, ...watched, ...revisionOf(target) } : authorization;
      const post = { method: 'POST', path, body, signal, headers, deadlineMs: null } as const;
      const onChunk: OnChunk = (chunk) => onFrames(splitOrThrow(splitter, chunk), splitter.heldBytes);
      await sendToAgent(connections.of(target, target).steps, post, onChunk);
    },

    /** A file, whose bytes go to `onChunk` no faster than it takes them. Throws AgentError. */
    async download(target: AgentTarget, { path, signal, onStart, onChunk }: AgentDownload): Promise<void> {
      const headers = await tokens.authorization(target);
      const onHeaders: AgentRequest['onHeaders'] = (head) => onStart({ isWhole: head[outputHeader] === 'whole' });
      const request = { method: 'GET', path, headers, signal, onHeaders, deadlineMs: transferTimeoutMs } as const;
      await sendToAgent(connections.of(target, target).steps, request, counting(downloadBytesMax, onChunk));
    },

    /** Passes the agent's answer on: its head, then its bytes no faster than they are taken. Throws AgentError. */
    async relay(target: AgentTarget, { onChunk, ...request }: AgentRelay): Promise<void> {
      const headers = { ...request.headers, ...(await tokens.authorization(target)) };
      const get = { ...request, method: 'GET', headers, deadlineMs: transferTimeoutMs } as const;
      await sendToAgent(connections.of(target, target).steps, get, onChunk);
    },

    /**
     * A file of the workspace in exactly the state that `version` names. It is refused with `precondition-failed` if the file is another
     * one by now, and cut if it changes meanwhile. Its bytes are asked for no faster than they are read. Throws AgentError.
     */
    readFile(target: AgentTarget, { path, version, signal }: AgentFileState): Readable {
      const url = `/v1/files?path=${encodeURIComponent(path)}&version=${encodeURIComponent(version)}`;
      return this.pull(target, { method: 'GET', path: url, signal });
    },

    /** The bytes of any answer. They are asked for no faster than they are read. Throws AgentError. */
    pull(target: AgentTarget, { signal, ...pulled }: AgentPull): Readable {
      const send = async (onChunk: OnChunk, until: AbortSignal) => {
        const headers = await tokens.authorization(target);
        const request = { ...pulled, headers, signal: until, deadlineMs: null };
        await sendToAgent(connections.of(target, target).steps, request, onChunk);
      };
      return pullChunks(send, signal);
    },

    /** A connection to a port of the sandbox's loopback. Throws AgentError. */
    openTunnel: tunnels.open,

    /** Ends all connections to a sandbox. */
    disconnect(uid: string): void {
      connections.disconnect(uid);
      tunnels.disconnect(uid);
    },

    disconnectIdleBut: connections.disconnectIdleBut,

    async close(): Promise<void> {
      tunnels.close();
      await connections.close();
    },
  };
}

/** An agent of an earlier version ignores this header. */
const revisionOf = ({ policyRevision }: AgentTarget): Record<string, string> | null =>
  policyRevision ? { [policyRevisionHeader]: String(policyRevision) } : null;

/** Takes a body of at most `bytesMax`; without `onChunk` it is dropped. */
function counting(bytesMax: number, onChunk: OnChunk = () => undefined): OnChunk {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new AgentError('invalid', `the answer is longer than ${bytesMax} bytes`);
    return onChunk(chunk);
  };
}

function splitOrThrow(splitter: FrameSplitter, chunk: Buffer): Frame[] {
  try {
    return splitter.split(chunk);
  } catch (cause) {
    throw new AgentError('invalid', 'the frames are garbled', { cause });
  }
}
