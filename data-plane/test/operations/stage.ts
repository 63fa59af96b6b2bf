import type { Operation, Step, StepEvent } from '@holdfast/specs/public';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

export type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

/** A cluster and a database, on which a test starts replicas. */
export async function openStage() {
  const fake: FakeKubernetes = await startFakeKubernetes();
  const database: TestDatabase = await createTestDatabase();
  const replicas: Replica[] = [];
  return {
    database,
    fake,
    async start(env: Record<string, string> = {}): Promise<Replica> {
      const replica = await startReplicaOnKubernetes(fake, { DATABASE_URL: database.url, ...env });
      replicas.push(replica);
      return replica;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
      await database.drop();
      await fake.close();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A host, which reads the operations that wait, and answers them. */
export const hostOf = (replica: Replica, sessionId: string) => ({
  pending: async (): Promise<Operation[]> =>
    (await replica.request('GET', `/v1/sessions/${sessionId}/operations?status=pending`)).body.items,
  all: async (): Promise<Operation[]> =>
    (await replica.request('GET', `/v1/sessions/${sessionId}/operations`)).body.items,
  answer: (operationId: string, result: object) =>
    replica.request('POST', `/v1/sessions/${sessionId}/operations/${operationId}/result`, result),
  /** The step once it has ended, whatever it needs until then. */
  ended: async (stepId: string): Promise<Step> => {
    let step: Step | undefined;
    await eventually(async () => {
      step = (await replica.request('GET', `/v1/sessions/${sessionId}/steps/${stepId}`)).body as Step;
      if (!step.finishedAt) throw new Error(`step ${stepId} has not ended`);
    }, 60_000);
    return step as Step;
  },
  step: async (stepId: string, waitSeconds = 30, after?: string): Promise<Step> => {
    const query = `waitSeconds=${waitSeconds}${after === undefined ? '' : `&after=${after}`}`;
    return (await replica.request('GET', `/v1/sessions/${sessionId}/steps/${stepId}?${query}`)).body;
  },
});

/** The operation of this name once it waits. */
export async function waitsFor(replica: Replica, sessionId: string, name: string): Promise<Operation> {
  let found: Operation | undefined;
  await eventually(async () => {
    found = (await hostOf(replica, sessionId).pending()).find((operation) => operation.name === name);
    if (!found) throw new Error(`no ${name} waits`);
  }, 60_000);
  return found as Operation;
}

/** Reads a stream of events to its end, and calls back on each operation that it announces. */
export async function readAnswering(
  events: AsyncIterable<StepEvent>,
  onOperation: (operationId: string, name: string) => Promise<unknown>,
): Promise<StepEvent[]> {
  const seen: StepEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.type === 'operation_request') await onOperation(event.operationId, event.name);
  }
  return seen;
}

export const endOf = (events: readonly StepEvent[]): Step => {
  const last = events.at(-1);
  if (last?.type !== 'finished') throw new Error(`the last event is ${last?.type}`);
  return last.step;
};
