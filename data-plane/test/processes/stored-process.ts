import { newId } from '@holdfast/specs/public';
import type { Database } from '../../src/registry/connect.ts';
import { insertProcess, type NewProcess } from '../../src/registry/processes/insert-process.ts';
import type { SessionRow } from '../../src/registry/schema/sessions.ts';

/** A process of the session as it is before its admission. */
export const newProcess = (session: SessionRow, given: Partial<NewProcess> = {}): NewProcess => ({
  id: newId('prc'),
  sessionId: session.id,
  epoch: session.epoch,
  actor: 'agent',
  actorName: null,
  keyId: null,
  command: ['sleep', '1'],
  cwd: null,
  terminal: null,
  timeoutMs: null,
  fingerprint: null,
  replicaId: 'rep',
  admissionId: newId('uid'),
  policyRevision: session.policyRevision,
  sliceMs: 10_000,
  processesMax: 100,
  audited: { command: 'sleep 1' },
  ...given,
});

/** A process that runs, as far as the registry knows. */
export async function admittedProcess(db: Database, session: SessionRow, given: Partial<NewProcess> = {}) {
  const process = newProcess(session, given);
  const admitted = await insertProcess(db, process);
  if (!admitted) throw new Error('the process was not admitted');
  return { ...process, replicaId: process.replicaId ?? '', ...admitted };
}
