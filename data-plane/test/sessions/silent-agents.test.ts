import type { Session } from '@holdfast/specs/public';
import { beforeEach, expect, test } from 'vitest';
import { AgentError } from '../../src/agent/agent-error.ts';
import { type ProbeDependencies, probeSilentAgents } from '../../src/reconcile/duties/probe-silent-agents.ts';
import { createSilences, type Silences } from '../../src/reconcile/silences.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

let silences: Silences;
beforeEach(() => {
  silences = createSilences({ lastsMs: 0, gapMsMax: 60_000, awakeSinceMs: () => 0 });
});

/** The dependencies of a replica that hears no agent. */
const deaf = ({ duties }: TestReplica): ProbeDependencies => ({
  ...duties,
  agents: {
    ...duties.agents,
    call: () => Promise.reject(new AgentError('undelivered', 'the agent does not answer')),
  },
});

/** As if no replica had heard an agent for an hour. */
const forget = () => given.db.sql`update session_routes set last_seen_at = now() - interval '1 hour'`;

const stateOf = async ({ verbs, caller }: TestReplica, { id }: Session) => {
  const { status, endReason } = await verbs.getSession({ caller, id });
  return { status, endReason };
};
const active = { status: 'active', endReason: null };
const failed = { status: 'failed', endReason: 'agent_silent' };

test('a sandbox is lost after several probes that no replica heard an answer to', async () => {
  const one = await given.replica([]);
  const session = await one.createSession();
  await forget();
  for (const state of [active, active, failed]) {
    await probeSilentAgents(deaf(one), silences);
    expect(await stateOf(one, session)).toEqual(state);
  }
});

test('a replica that is cut off from an agent takes nothing that another replica hears', async () => {
  const one = await given.replica([]);
  const two = await given.replica([]);
  const session = await one.createSession();
  one.duties.suspects.add(session.id);
  await forget();
  const heard = createSilences({ lastsMs: 0, gapMsMax: 60_000, awakeSinceMs: () => 0 });
  for (let probes = 0; probes < 5; probes++) {
    await probeSilentAgents(two.duties, heard);
    await probeSilentAgents(deaf(one), silences);
  }
  expect(silences.uids).toHaveLength(1);
  expect(await stateOf(one, session)).toEqual(active);
});

test('an agent that was heard a moment ago is probed only if it did not answer someone', async () => {
  const one = await given.replica([]);
  const { id } = await one.createSession();
  await probeSilentAgents(deaf(one), silences);
  expect(silences.uids).toEqual([]);
  one.hint(id);
  await eventually(() => expect(one.duties.suspects.size).toBe(1));
  await probeSilentAgents(deaf(one), silences);
  expect(silences.uids).toHaveLength(1);
  await probeSilentAgents(one.duties, silences);
  expect([silences.uids.length, one.duties.suspects.size]).toEqual([0, 0]);
});

test('a replica that hears hardly any agent takes none of them for lost, and says so', async () => {
  const one = await given.replica([]);
  const sessions = await Promise.all(Array.from({ length: 12 }, () => one.createSession()));
  await forget();
  for (let probes = 0; probes < 4; probes++) await probeSilentAgents(deaf(one), silences);
  expect(await Promise.all(sessions.map((session) => stateOf(one, session)))).toEqual(sessions.map(() => active));
  expect(one.lines.join('\n')).toContain('so many agents do not answer that this replica is probably cut off');
});
