import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { recordSteps } from '../../src/registry/steps/record-steps.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();
const caller = { tenant: 'acme', scopes: new Set(['run'] as const), keyId: null };

test('an interrupt is in the audit log before the agent hears of it', async () => {
  const { verbs, replicaId } = await given.replica([]);
  const { id: sessionId } = await verbs.createSession({
    caller,
    request: { language: 'python', metadata: {}, env: {} },
  });
  const start = { id: newId('stp'), sessionId, contextId: 'python', language: 'python', code: '1', job: null } as const;
  const sent = {
    actor: 'agent',
    keyId: null,
    actorName: null,
    epoch: 1,
    timeoutMs: 60_000,
    queuedAt: new Date(),
  } as const;
  await recordSteps(given.db, [intentRecord({ ...start, ...sent }, { replicaId, mayHaveRow: false })]);
  const before: unknown[] = [];
  given.cluster.answering = ({ url }, response) => {
    if (!url?.endsWith('/interrupt')) return false;
    verbs.listAudit({ caller, sessionId, operation: 'step.interrupt', limit: 10 }).then(({ items }) => {
      before.push(...items);
      response.destroy();
    });
    return true;
  };
  const interrupt = verbs.interruptStep({ caller, sessionId, stepId: start.id });
  await expect(interrupt).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
  expect(before).toMatchObject([{ operation: 'step.interrupt', stepId: start.id, decision: 'allowed' }]);
});
