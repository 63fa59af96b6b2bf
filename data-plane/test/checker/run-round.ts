import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { createLedger, type Ledger } from './clients/ledger.ts';
import { runClient } from './clients/run-client.ts';
import { collectEvidence, knownSessions } from './collect-evidence.ts';
import { deleteSessions, findLeftovers, findUnrest, waitForRest } from './come-to-rest.ts';
import type { FaultKind, Stage } from './faults/fault.ts';
import { runFaults } from './faults/run-faults.ts';
import type { Evidence, Violation } from './judge/evidence.ts';
import { judge } from './judge/judge.ts';
import { createRandom } from './random.ts';
import { type Deployment, startDeployment } from './stage/deployment.ts';
import { startPostgresServer } from './stage/postgres-server.ts';
import { linesOf, startSandboxes } from './stage/sandboxes.ts';

export type RoundInput = {
  seed: string;
  seconds: number;
  replicas: number;
  kinds: readonly FaultKind[];
  say(line: string): void;
};

export type Round = { evidence: Evidence; violations: Violation[] };

/** Starts everything, lets clients work through the faults, waits for rest and judges. All that it starts ends with it. */
export async function runRound(input: RoundInput): Promise<Round> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-checker-'));
  await using started = new AsyncDisposableStack();
  started.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = await startPostgresServer({ directory });
  started.defer(() => postgres.close());
  const sandboxes = await startSandboxes();
  started.defer(() => sandboxes.close());

  const deployments: Deployment[] = [];
  const names = input.kinds.includes('second-deployment-restarted') ? ['first', 'second'] : ['first'];
  const { kubeconfig } = sandboxes.fake;
  for (const name of names) {
    const replicas = name === 'first' ? input.replicas : 1;
    const deployment = await startDeployment({ name, directory, kubeconfig, postgres, replicas });
    started.defer(() => deployment.close());
    deployments.push(deployment);
  }
  const runsFile = join(directory, 'runs');
  const stage = { deployments, postgres, sandboxes, runsOf: () => linesOf(runsFile), rush: createRush() };
  return await work(stage, { ...input, runsFile });
}

type Rush = ReturnType<typeof createRush>;

/** Lets a fault call for more requests than the data-plane can send on at once. */
function createRush() {
  const listeners: (() => void)[] = [];
  return {
    onRush: (listener: () => void) => void listeners.push(listener),
    begin(): void {
      for (const listener of listeners) listener();
    },
  };
}

async function work(
  stage: Stage & { rush: Rush },
  { seed, seconds, kinds, say, runsFile }: RoundInput & { runsFile: string },
): Promise<Round> {
  const stop = new AbortController();
  const ledgers: Ledger[] = [];
  const clients = stage.deployments.flatMap((deployment) =>
    placesOf(deployment).map((staysWith, index) => {
      const ledger = createLedger(`${deployment.name}-${index}`);
      ledgers.push(ledger);
      const random = createRandom(`${seed}/clients/${ledger.client}`);
      const { onRush } = stage.rush;
      return runClient({ ledger, random, deployment, runsFile, staysWith, onRush, stop: stop.signal });
    }),
  );
  await eventually(() => {
    if (!ledgers.every(hasWorked)) throw new Error('some clients have not run a step yet');
  }, 60_000);
  const faults = await runFaults({ stage, seed, seconds, kinds, stop: stop.signal, say }).finally(() => stop.abort());
  await Promise.all(clients);
  const unrest = await waitForRest(() => findUnrest(stage));

  const exchanges = ledgers.flatMap((ledger) => ledger.exchanges).toSorted((a, b) => a.askedAt - b.askedAt);
  const known = await Promise.all(
    stage.deployments.map((deployment) => {
      const own = ledgers.filter(({ client }) => client.startsWith(`${deployment.name}-`));
      return knownSessions(
        deployment,
        own.flatMap((ledger) => ledger.exchanges),
      );
    }),
  );
  const sessions = (await Promise.all(known.map((one) => collectEvidence(stage, one)))).flat();
  const runs = countRuns(await stage.runsOf());
  for (const { deployment, ids } of known) await deleteSessions(deployment, ids);
  const leftovers = await waitForRest(() => findLeftovers(stage));
  const evidence = { exchanges, sessions, faults, runs, unrest, leftovers };
  return { evidence, violations: judge(evidence) };
}

const hasWorked = ({ exchanges }: Ledger) => exchanges.some(({ ask, answer }) => ask.what === 'step' && answer?.step);

/** A client that stays with each replica, and for every replica one that uses all of them. */
const placesOf = ({ replicas }: Deployment): (number | null)[] => replicas.flatMap((_, index) => [index, null]);

function countRuns(lines: readonly string[]): Map<string, number> {
  const byMark = Map.groupBy(lines, (line) => line.split(' ')[0] ?? '');
  return new Map([...byMark].map(([mark, runs]) => [mark, runs.length]));
}
