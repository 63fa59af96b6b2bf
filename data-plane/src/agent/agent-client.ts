import type { Readable } from 'node:stream';
import { createFrameSplitter, type Frame } from '@holdfast/specs/agent';
import { Client } from 'undici';
import type { z } from 'zod';
import { createAgentConnections } from './agent-connections.ts';
import { createAgentConnector } from './agent-connector.ts';
import { AgentError } from './agent-error.ts';
import { type AgentRequest, type OnChunk, sendToAgent } from './agent-request.ts';
import { pullChunks } from './pull-chunks.ts';

const answerBytesMax = 32 * 1024 * 1024;
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
};

export type AgentToken = { token: string; expiresAt: Date };

/** The source of tokens; see `keys/agent-tokens.ts`. */
export interface AgentTokens {
  newToken(subject: Pick<AgentTarget, 'sessionId' | 'sandboxUid' | 'epoch'>): Promise<AgentToken>;
  /** The headers that let a request in. */
  authorization(target: AgentTarget): Promise<Record<string, string>>;
}

type AgentClientOptions = { tokens: AgentTokens; onConnections(change: 1 | -1): void };

export type AgentCall<Answer> = Pick<AgentRequest, 'method' | 'path' | 'body' | 'upload' | 'signal' | 'onHeaders'> & {
  headers?: Record<string, string>;
  schema?: z.ZodType<Answer>;
  /** For the whole call, from the queue to the last byte. */
  timeoutMs?: number;
  /** Uses the connections of steps, because the call takes long or so that the first step finds one open. */
  withSteps?: boolean;
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

export type AgentFileState = { path: string; version: string; signal: AbortSignal };

export type AgentClient = ReturnType<typeof createAgentClient>;

/**
 * The session-agents seen from outside. Each sandbox has connections of its own, and every new one proves its peer before anything of a
 * session is written on it.
 */
export function createAgentClient({ tokens, onConnections }: AgentClientOptions) {
  const connections = createAgentConnections({ onConnections });

  return {
    newToken: tokens.newToken,

    /** The public key of a sandbox that is new to us; the peer at this endpoint proves that it holds it for this uid. Throws AgentError. */
    async meet({ endpoint, uid }: { endpoint: string; uid: string }): Promise<string> {
      let publicKey = '';
      const client = new Client(endpoint, {
        connect: createAgentConnector({ uid, publicKey: null }, (key) => {
          publicKey = key;
        }),
      });
      try {
        const request = {
          method: 'GET',
          path: '/healthz',
          headers: {},
          deadlineMs: meetTimeoutMs,
        } as const;
        await sendToAgent(client, request, () => {});
        return publicKey;
      } finally {
        await client.destroy();
      }
    },

    /** A small request with a JSON answer, checked by `schema`; without one the body is dropped. Throws AgentError. */
    async call<Answer = void>(
      target: AgentTarget,
      { schema, timeoutMs = callTimeoutMs, withSteps = false, ...request }: AgentCall<Answer>,
    ): Promise<Answer> {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const headers = { ...request.headers, ...(await tokens.authorization(target)) };
      const { steps, control } = connections.of(target);
      await sendToAgent(withSteps ? steps : control, { ...request, headers, deadlineMs: timeoutMs }, (chunk) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax) throw new AgentError('invalid', 'the answer is too long');
        chunks.push(chunk);
      });
      if (!schema) return undefined as Answer;
      try {
        return schema.parse(JSON.parse(Buffer.concat(chunks).toString()));
      } catch (cause) {
        throw new AgentError('invalid', `the answer to ${request.method} ${request.path} is not of its form`, {
          cause,
        });
      }
    },

    /**
     * A request whose answer is a stream of frames; resolves when the stream has ended. If `onFrames` returns a promise, the rest is read
     * when that resolves. Throws AgentError.
     */
    async stream(
      target: AgentTarget,
      {
        onFrames,
        ...request
      }: {
        path: string;
        body: object;
        signal?: AbortSignal;
        onFrames: (frames: Frame[]) => undefined | Promise<unknown>;
      },
    ): Promise<void> {
      const split = createFrameSplitter();
      const headers = await tokens.authorization(target);
      await sendToAgent(
        connections.of(target).steps,
        { ...request, method: 'POST', headers, deadlineMs: null },
        (chunk) => onFrames(splitOrThrow(split, chunk)),
      );
    },

    /** A file, whose bytes go to `onChunk` no faster than it takes them. Throws AgentError. */
    async download(target: AgentTarget, { path, signal, onStart, onChunk }: AgentDownload): Promise<void> {
      const headers = await tokens.authorization(target);
      let bytes = 0;
      const counted: OnChunk = (chunk) => {
        bytes += chunk.length;
        if (bytes > downloadBytesMax) throw new AgentError('invalid', 'the file is too long');
        return onChunk(chunk);
      };
      const onHeaders: AgentRequest['onHeaders'] = (head) => onStart({ isWhole: head[outputHeader] === 'whole' });
      const request = { method: 'GET', path, headers, signal, onHeaders, deadlineMs: transferTimeoutMs } as const;
      await sendToAgent(connections.of(target).steps, request, counted);
    },

    /** Passes the agent's answer on: its head, then its bytes no faster than they are taken. Throws AgentError. */
    async relay(target: AgentTarget, { onChunk, ...request }: AgentRelay): Promise<void> {
      const headers = { ...request.headers, ...(await tokens.authorization(target)) };
      const get = { ...request, method: 'GET', headers, deadlineMs: transferTimeoutMs } as const;
      await sendToAgent(connections.of(target).steps, get, onChunk);
    },

    /**
     * A file of the workspace in exactly the state that `version` names. It is refused with `precondition-failed` if the file is another
     * one by now, and cut if it changes meanwhile. Its bytes are asked for no faster than they are read. Throws AgentError.
     */
    readFile(target: AgentTarget, { path, version, signal }: AgentFileState): Readable {
      const send = async (onChunk: OnChunk, until: AbortSignal) => {
        const url = `/v1/files?path=${encodeURIComponent(path)}&version=${encodeURIComponent(version)}`;
        const headers = await tokens.authorization(target);
        const request = { method: 'GET', path: url, headers, signal: until, deadlineMs: null } as const;
        await sendToAgent(connections.of(target).steps, request, onChunk);
      };
      return pullChunks(send, signal);
    },

    disconnect: connections.disconnect,
    disconnectIdleBut: connections.disconnectIdleBut,
    close: connections.close,
  };
}

function splitOrThrow(split: (chunk: Buffer) => Frame[], chunk: Buffer): Frame[] {
  try {
    return split(chunk);
  } catch (cause) {
    throw new AgentError('invalid', 'the frames are garbled', { cause });
  }
}
