import { type SessionStatus, sessionStatuses } from '@holdfast/specs/public';
import { describe, expect, test } from 'vitest';
import { type Action, plan, type SessionObservation } from './plan.ts';

const cause = { reason: 'oom_killed', message: 'exit code 137' } as const;

const alive = { state: 'alive' } as const;
const silent = { state: 'alive', silentSeconds: 60 } as const;
const ended = { state: 'ended', cause } as const;
const missing = { state: 'missing', cause } as const;
const routeWith = (sandbox: typeof alive | typeof silent | typeof ended | typeof missing | null, epoch = 3) => ({
  epoch,
  uid: 'uid-3',
  sandbox,
});
const dueWith = (due: Partial<NonNullable<SessionObservation['due']>> = {}) => ({
  passed: [],
  isSandboxGone: false,
  isDeletionRequested: false,
  isSandboxLeft: false,
  ...due,
});

/** Everything that can be observed of a session, apart from its status. */
const observations = {
  'no route': { route: null, due: null },
  'a sandbox that is alive': { route: routeWith(alive), due: null },
  'a sandbox whose agent is silent': { route: routeWith(silent), due: null },
  'a sandbox that has ended': { route: routeWith(ended), due: null },
  'a sandbox that is missing': { route: routeWith(missing), due: null },
  'a sandbox that was not asked for': { route: routeWith(null), due: null },
  'a missing sandbox of an earlier epoch': { route: routeWith(missing, 2), due: null },
  'due for nothing': { route: routeWith(null), due: dueWith() },
  'past the start deadline': { route: null, due: dueWith({ passed: ['start'] }) },
  'past the end of its job': { route: routeWith(null), due: dueWith({ passed: ['jobEnded'] }) },
  'past its age': { route: routeWith(null), due: dueWith({ passed: ['age'] }) },
  'past its idle timeout': { route: routeWith(null), due: dueWith({ passed: ['idle'] }) },
  'past all deadlines': { route: routeWith(null), due: dueWith({ passed: ['idle', 'age', 'jobEnded', 'start'] }) },
  'past the time for its recovery': { route: null, due: dueWith({ passed: ['recovery'] }) },
  'past the time for its pause': { route: routeWith(null), due: dueWith({ passed: ['pause'] }) },
  'idle, and to be paused': { route: routeWith(null), due: dueWith({ passed: ['idlePause'] }) },
  'an earlier sandbox left': { route: routeWith(null), due: dueWith({ isSandboxLeft: true }) },
  'due, its sandbox gone': { route: null, due: dueWith({ isSandboxGone: true }) },
  'due and deleted': { route: routeWith(null), due: dueWith({ isDeletionRequested: true }) },
  'due and deleted, its sandbox gone': {
    route: null,
    due: dueWith({ isSandboxGone: true, isDeletionRequested: true }),
  },
} satisfies Record<string, Pick<SessionObservation, 'route' | 'due'>>;

type Observed = keyof typeof observations;

const session = { sessionId: 'ses', epoch: 3 };
const bound = { ...session, uid: 'uid-3' };
const unbound = { ...session, uid: null };

const lost: Action = { act: 'lose', ...bound, cause };
const lostInSilence: Action = {
  act: 'lose',
  ...bound,
  cause: { reason: 'agent_silent', message: 'the sandbox runs, but its agent has not answered for 60 seconds' },
  ifUnheardSeconds: 60,
};
const removeEarlier: Action = { act: 'remove-sandbox', ...unbound, epoch: 2 };
const jobEnded: Action = { act: 'end', ...bound, ifPassed: 'jobEnded', to: 'completed', reason: 'job_ended' };
const notStarted: Action = { act: 'end', ...unbound, ifPassed: 'start', to: 'failed', reason: 'sandbox_start_timeout' };

const whileCreating: Partial<Record<Observed, Action>> = {
  'past the start deadline': notStarted,
  'past all deadlines': { ...notStarted, ...bound },
  'an earlier sandbox left': removeEarlier,
};
const whileActive: Partial<Record<Observed, Action>> = {
  'a sandbox that has ended': lost,
  'a sandbox that is missing': lost,
  'a sandbox whose agent is silent': lostInSilence,
  'past the end of its job': jobEnded,
  'past its age': { act: 'end', ...bound, ifPassed: 'age', to: 'expired', reason: 'max_age' },
  'past its idle timeout': { act: 'end', ...bound, ifPassed: 'idle', to: 'expired', reason: 'idle_timeout' },
  'past all deadlines': jobEnded,
  'idle, and to be paused': { act: 'pause', ...bound },
  'an earlier sandbox left': removeEarlier,
};
const whileLost: Partial<Record<Observed, Action>> = {
  'past its age': { act: 'end', ...bound, ifPassed: 'age', to: 'expired', reason: 'max_age' },
  'past its idle timeout': { act: 'end', ...bound, ifPassed: 'idle', to: 'expired', reason: 'idle_timeout' },
  'past all deadlines': { act: 'end', ...bound, ifPassed: 'age', to: 'expired', reason: 'max_age' },
  'an earlier sandbox left': { act: 'remove-sandbox', ...unbound },
};
const whileRecovering: Partial<Record<Observed, Action>> = {
  'past the time for its recovery': { act: 'recover', ...unbound },
  'an earlier sandbox left': removeEarlier,
};
const whilePausing: Partial<Record<Observed, Action>> = {
  'past the time for its pause': { act: 'stay', ...bound },
  'an earlier sandbox left': removeEarlier,
};
const whilePaused: Partial<Record<Observed, Action>> = {
  'past its age': { act: 'end', ...bound, ifPassed: 'age', to: 'expired', reason: 'max_age' },
  'past all deadlines': { act: 'end', ...bound, ifPassed: 'age', to: 'expired', reason: 'max_age' },
  'an earlier sandbox left': { act: 'remove-sandbox', ...unbound },
};
const remove: Action = { act: 'remove-sandbox', ...bound };
const afterTheEnd: Partial<Record<Observed, Action>> = {
  'due for nothing': remove,
  'past the start deadline': { ...remove, ...unbound },
  'past the end of its job': remove,
  'past its age': remove,
  'past its idle timeout': remove,
  'past all deadlines': remove,
  'past the time for its recovery': { ...remove, ...unbound },
  'past the time for its pause': remove,
  'idle, and to be paused': remove,
  'an earlier sandbox left': remove,
  'due and deleted': remove,
  'due and deleted, its sandbox gone': { ...remove, ...unbound },
};

/** The actions other than `nothing`. */
const planned: Record<SessionStatus, Partial<Record<Observed, Action>>> = {
  creating: whileCreating,
  active: whileActive,
  budget_exceeded: whileActive,
  lost: whileLost,
  recovering: whileRecovering,
  pausing: whilePausing,
  paused: whilePaused,
  resuming: whileRecovering,
  completed: afterTheEnd,
  aborted: afterTheEnd,
  expired: afterTheEnd,
  failed: afterTheEnd,
};

const names = Object.keys(observations) as Observed[];

describe.each(sessionStatuses)('a session in %s', (status) => {
  test.each(names)('with the observation "%s" gets the planned action', (name) => {
    const action = plan({ of: 'session', ...session, status, ...observations[name] });
    expect(action).toEqual(planned[status][name] ?? { act: 'nothing' });
  });
});

/** Statuses that this replica does not know, as a newer one may write them. */
describe.each(['hibernating', 'archived'])('a session in %s', (status) => {
  test.each(names)('with the observation "%s" is left alone', (name) => {
    expect(plan({ of: 'session', ...session, status, ...observations[name] })).toEqual({ act: 'nothing' });
  });
});

const sandbox = { name: 'warm-1', uid: 'uid-w' };

test('a warm sandbox is withdrawn when it has ended or is missing, and left alone while it is alive', () => {
  const planFor = (state: 'alive' | 'ended' | 'missing') => plan({ of: 'warm sandbox', sandbox, state });
  expect(planFor('alive')).toEqual({ act: 'nothing' });
  expect(planFor('ended')).toEqual({ act: 'withdraw', ...sandbox });
  expect(planFor('missing')).toEqual({ act: 'withdraw', ...sandbox });
});

test('an orphan is destroyed by its name and uid', () => {
  expect(plan({ of: 'orphan', sandbox })).toEqual({ act: 'destroy', ...sandbox });
});
