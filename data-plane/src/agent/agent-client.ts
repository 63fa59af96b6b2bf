import { type Frame, frameSplitter } from '@holdfast/specs';
import { Client, Pool } from 'undici';
import type { z } from 'zod';
import { agentConnector } from './agent-connector.ts';
import { AgentError } from './agent-error.ts';
import { type AgentRequest, sendToAgent } from './agent-request.ts';
import { type AgentTokenOptions, createAgentTokens, type TokenHolder } from './agent-tokens.ts';

const answerBytesMax = 32 * 1024 * 1024;
const callTimeoutMs = 10_000;

/** One life of a sandbox, as a route names it. */
export type AgentTarget = TokenHolder & { endpoint: string; agentPublicKey: string };

type AgentClientOptions = AgentTokenOptions<AgentTarget> & { onConnections(change: 1 | -1): void };

type Call<Answer> = Pick<AgentRequest, 'method' | 'path' | 'body' | 'signal'> & {
  schema?: z.ZodType<Answer>;
  timeoutMs?: number;
};

export type AgentClient = ReturnType<typeof createAgentClient>;

/**
 * The session-agents seen from outside. One connection pool per sandbox uid, so that no connection outlives its sandbox's route;
 * every new connection proves its peer before anything of a session is written on it.
 */
export function createAgentClient(options: AgentClientOptions) {
  const pools = new Map<string, Pool>();
  const tokens = createAgentTokens(options);

  function poolOf(target: AgentTarget): Pool {
    const known = pools.get(target.sandboxUid);
    if (known) return known;
    const pool = new Pool(target.endpoint, {
      connect: agentConnector({ uid: target.sandboxUid, publicKey: target.agentPublicKey }),
      keepAliveTimeout: 60_000,
      keepAliveMaxTimeout: 60_000,
      connections: 1024,
    });
    pool.on('connect', () => options.onConnections(1));
    pool.on('disconnect', () => options.onConnections(-1));
    pools.set(target.sandboxUid, pool);
    return pool;
  }

  return {
    newToken: tokens.newToken,

    /** First sight of a sandbox: its public key, proven to be held by the peer at this endpoint with this uid. Throws AgentError. */
    async meet({ endpoint, uid }: { endpoint: string; uid: string }): Promise<string> {
      let publicKey = '';
      const client = new Client(endpoint, {
        connect: agentConnector({ uid, publicKey: null }, (key) => {
          publicKey = key;
        }),
      });
      try {
        const request = {
          method: 'GET',
          path: '/healthz',
          headers: {},
          headersTimeoutMs: 5000,
          bodyTimeoutMs: 5000,
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
      { schema, timeoutMs = callTimeoutMs, ...request }: Call<Answer>,
    ): Promise<Answer> {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const headers = await tokens.authorization(target);
      await sendToAgent(
        poolOf(target),
        { ...request, headers, headersTimeoutMs: timeoutMs, bodyTimeoutMs: timeoutMs },
        (chunk) => {
          bytes += chunk.length;
          if (bytes > answerBytesMax) throw new AgentError('invalid', 'the answer is too long');
          chunks.push(chunk);
        },
      );
      if (!schema) return undefined as Answer;
      try {
        return schema.parse(JSON.parse(Buffer.concat(chunks).toString()));
      } catch (cause) {
        throw new AgentError('invalid', `the answer to ${request.method} ${request.path} is not of its form`, {
          cause,
        });
      }
    },

    /** A request whose answer is a stream of frames; resolves when the stream has ended. Throws AgentError. */
    async stream(
      target: AgentTarget,
      {
        onFrames,
        ...request
      }: { path: string; body: object; signal?: AbortSignal; onFrames: (frames: Frame[]) => void },
    ): Promise<void> {
      const split = frameSplitter();
      const headers = await tokens.authorization(target);
      await sendToAgent(
        poolOf(target),
        { ...request, method: 'POST', headers, headersTimeoutMs: 0, bodyTimeoutMs: 0 },
        (chunk) => onFrames(splitOrThrow(split, chunk)),
      );
    },

    /** Ends all connections to a sandbox. */
    forget(uid: string): void {
      const pool = pools.get(uid);
      pools.delete(uid);
      pool?.destroy().catch(() => {});
    },

    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

function splitOrThrow(split: (chunk: Buffer) => Frame[], chunk: Buffer): Frame[] {
  try {
    return split(chunk);
  } catch (cause) {
    throw new AgentError('invalid', 'the frames are garbled', { cause });
  }
}
