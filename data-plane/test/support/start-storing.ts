import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Change, DigestPage, DirectoryChange } from '@holdfast/specs/agent';
import { newId, Problem } from '@holdfast/specs/public';
import { type AgentTarget, createAgentClient } from '../../src/agent/agent-client.ts';
import { createByteBudget } from '../../src/agent/byte-budget.ts';
import { storeArtifacts } from '../../src/artifacts/store-artifacts.ts';
import { createContents } from '../../src/contents/contents.ts';
import { createPostgresStore } from '../../src/contents/postgres-store.ts';
import { createAgentTokens } from '../../src/keys/agent-tokens.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { listArtifacts } from '../../src/registry/artifacts/list-artifacts.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { createWorlds } from '../../src/world/create-worlds.ts';
import type { TestDatabase } from './postgres.ts';
import { activeSession } from './registry-rows.ts';
import { startScriptedAgent } from './scripted-agent.ts';

/** An agent's answer to a request for a file: bytes, a refusal, or the response of a hostile agent. */
export type FileAnswer = string | Buffer | Problem | ((response: ServerResponse) => void);

const roomy = {
  keptFileBytesMax: 2 ** 30,
  keptStepBytesMax: 2 ** 30,
  keptSessionBytesMax: 2 ** 30,
  keptTenantBytesMax: 2 ** 30,
  uploadBytesMax: 2 ** 30,
};

/** A session whose agent has the files that a test gives it, and what stores their changes. */
export async function startStoring(
  { db }: Pick<TestDatabase, 'db'>,
  limits: Partial<typeof roomy> = {},
  { tenant = 'acme' } = {},
) {
  const files = new Map<string, FileAnswer>();
  /** Paths in the order in which they were asked for. */
  const asked: string[] = [];
  /** The agent's answer to each comparison. */
  const page: DigestPage = { files: [], next: null };
  const uid = newId('uid');
  const agent = await startScriptedAgent(uid, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://agent');
    if (pathname === '/v1/files/digests') {
      answer(response, JSON.stringify(page));
      return true;
    }
    if (pathname !== '/v1/files' && pathname !== '/v1/files/list') return false;
    const path = searchParams.get('path') ?? '';
    if (pathname === '/v1/files') asked.push(path);
    const file = files.get(path) ?? new Problem('not-found');
    const isListed = pathname === '/v1/files/list' && !(file instanceof Problem);
    answer(response, isListed ? listing(path) : file);
    return true;
  });
  const session = await activeSession(db, { tenant });
  const tokens = createAgentTokens<AgentTarget>({
    issuer: 'test',
    keys: null,
    accepts: async () => true,
    storeToken: () => {},
  });
  const agents = createAgentClient({
    tokens,
    budget: createByteBudget({ replicaBytesMax: 2 ** 27 }),
    onConnections: () => {},
    isReplaced: async () => false,
  });
  const lines: string[] = [];
  const objects = createPostgresStore({ db });
  const route = {
    sessionId: session.id,
    tenant: session.tenant,
    language: session.language,
    epoch: 1,
    sandboxName: 'sandbox',
    firstContextEpoch: 1,
    contextEpochMax: 1,
    hasBudget: false,
    hasWebhooks: false,
    recovery: 'off' as const,
    network: 'none' as const,
    policy: null,
    policyRevision: 0,
    sandboxUid: uid,
    endpoint: agent.endpoint,
    agentPublicKey: agent.publicKey,
    token: { token: '', expiresAt: new Date(0) },
  };
  const parts = {
    agents,
    db,
    contents: createContents({ db, stores: [objects], store: objects }),
    limits: { ...roomy, ...limits },
    log: createLogger({ level: 'info' }, { write: (line) => lines.push(line) }),
  };
  const deps = { ...parts, worlds: createWorlds({ ...parts, replicaId: newId('rep') }) };
  return {
    deps,
    files,
    asked,
    lines,
    page,
    route,
    sessionId: session.id,
    store: async (
      changes: Change[],
      { stepId = newId('stp'), isHandedOver = false, directories = [] as DirectoryChange[] } = {},
    ) => {
      const handOver = { isHandedOver: async () => isHandedOver, by: { actor: 'agent', keyId: null } as const };
      const stored = await storeArtifacts(deps, { route, stepId, changes, directories, at: new Date(), ...handOver });
      return stored.artifacts;
    },
    recorded: async () => (await listArtifacts(db, { sessionId: session.id, limit: 10_000 })).items,
    world: async () => {
      const all = await listWorldFiles(db, { sessionId: session.id });
      return Object.fromEntries(all.map(({ path, sha256 }) => [path, sha256]));
    },
    async [Symbol.asyncDispose]() {
      await agents.close();
      await agent.crash();
    },
  };
}

const listing = (path: string) =>
  JSON.stringify({ items: [{ path, kind: 'file', size: 5, modifiedAt: new Date().toISOString() }], truncated: false });

function answer(response: ServerResponse, given: FileAnswer): void {
  if (typeof given === 'function') given(response);
  else if (given instanceof Problem) {
    response.writeHead(given.status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify(given.body()));
  } else response.writeHead(200).end(given);
}

export const sha256Of = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const change = (path: string, more: Partial<Change> = {}): Change => ({
  path,
  change: 'created',
  size: 5,
  concurrent: false,
  version: 'v1',
  ...more,
});
