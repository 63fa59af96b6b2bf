import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifact, AuditEntry, Session, Step } from '@holdfast/specs/public';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { client } from '../support/start-holdfast.ts';
import type { Exchange } from './clients/ledger.ts';
import type { Stage } from './faults/fault.ts';
import type { SessionEvidence, Tree } from './judge/evidence.ts';
import type { Deployment } from './stage/deployment.ts';
import { processesBySandbox } from './stage/processes.ts';
import { sessionOfPod } from './stage/sandboxes.ts';

type Ids = { deployment: Deployment; ids: string[] };

/** The sessions that a deployment lists or that its clients know. */
export async function knownSessions(deployment: Deployment, exchanges: readonly Exchange[]): Promise<Ids> {
  const listed = await allPages<Session>(deployment, '/v1/sessions');
  const created = exchanges.flatMap(({ ask, answer }) => (ask.what === 'create' && answer?.id ? [answer.id] : []));
  return { deployment, ids: [...new Set([...listed.map(({ id }) => id), ...created])] };
}

/** Everything about the sessions of one deployment that the judge compares. Reads the world from the database, because no answer shows it. */
export async function collectEvidence(stage: Stage, { deployment, ids }: Ids): Promise<SessionEvidence[]> {
  const bySandbox = await processesBySandbox();
  const evidence: SessionEvidence[] = [];
  for (const id of ids) {
    const { status, body } = await ask(deployment, `/v1/sessions/${id}`);
    const pods = stage.sandboxes.fake.pods.all().filter(({ metadata }) => sessionOfPod(metadata.name) === id);
    // The pod of an earlier epoch may not be gone yet.
    const current = pods.find(({ metadata }) => metadata.name === sandboxName(id, body?.epoch)) ?? pods[0];
    const workspace = stage.sandboxes.started.get(current?.metadata.uid ?? '')?.workspace;
    evidence.push({
      ...{ id, deployment: deployment.name, status },
      session: status === 200 ? body : null,
      history: status === 200 ? await allPages<Step>(deployment, `/v1/sessions/${id}/steps`) : [],
      audit: status === 200 ? await allPages<AuditEntry>(deployment, `/v1/sessions/${id}/audit`) : [],
      artifacts: status === 200 ? await allPages<Artifact>(deployment, `/v1/sessions/${id}/artifacts`) : [],
      world: await worldOf(stage, { deployment, id }),
      workingCopy: workspace ? await workingCopyOf(workspace) : null,
      pods: pods.map(({ metadata: { name, uid }, status: { phase } }) => ({
        ...{ name, phase },
        agents: (bySandbox.get(uid) ?? []).filter(({ environ }) => environ.includes('HOLDFAST_AGENT_PORT')).length,
      })),
    });
  }
  return evidence;
}

async function worldOf({ postgres }: Stage, { deployment, id }: { deployment: Deployment; id: string }): Promise<Tree> {
  const statement = `select path, encode(sha256, 'hex') as sha256 from world_files where session_id = '${id}'`;
  const rows = await postgres.admin(statement, deployment.role);
  return new Map(rows.map(({ path, sha256 }) => [String(path), String(sha256)]));
}

async function workingCopyOf(workspace: string): Promise<Tree> {
  const files = new Map<string, string>();
  for await (const entry of glob('**/*', { cwd: workspace, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(
      path.slice(workspace.length + 1),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  }
  return files;
}

const ask = (deployment: Deployment, path: string) => {
  const replica = deployment.replicas[0] as Deployment['replicas'][number];
  return client(replica.current.url).request('GET', path);
};

async function allPages<T>(deployment: Deployment, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await ask(deployment, `${path}?limit=200${cursor}`);
    if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`);
    all.push(...body.items);
    if (!body.nextCursor) return all;
    cursor = `&cursor=${body.nextCursor}`;
  }
}
