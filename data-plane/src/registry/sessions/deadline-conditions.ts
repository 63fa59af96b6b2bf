import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { replicaLateSeconds, replicaStaleSeconds } from '../replicas/beat-replica.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';
import { processes } from '../schema/processes.ts';
import { replicas } from '../schema/replicas.ts';
import { type SandboxState, sandboxes } from '../schema/sandboxes.ts';
import { sessions } from '../schema/sessions.ts';
import { steps } from '../schema/steps.ts';

const hasPassed = (start: SQLWrapper, seconds: SQLWrapper) => sql`${start} + ${seconds} * interval '1 second' <= now()`;

/** A step is unfinished as long as a replica follows it. */
const hasUnfinishedStep = sql`exists (
  select from ${steps} where ${steps.sessionId} = ${sessions.id} and ${steps.replicaId} is not null
)`;

/** A process without a timeout, such as a server, may run for ever, so it does not keep its session from being idle. */
const hasProcessToEnd = sql`exists (
  select from ${processes}
  where ${processes.sessionId} = ${sessions.id} and ${processes.replicaId} is not null and ${processes.timeoutMs} is not null
)`;

const jobHasEnded = sql`exists (
  select from ${steps} where ${steps.id} = ${sessions.jobId} and ${steps.finishedAt} is not null
)`;

/**
 * Whether the replica with this id counts as gone. Not so without an id. While the database answers no one, all heartbeats become old.
 * So they are judged only when the heartbeats of some replica were never late for as long: by then every replica that lives has sent one.
 */
export const isGone = (replicaId: SQLWrapper) => sql`${replicaId} is not null and not exists (
  select from ${replicas} where ${replicas.id} = ${replicaId} and (
    ${replicas.heartbeatAt} >= now() - ${replicaStaleSeconds} * interval '1 second' or not exists (
      select from ${replicas} as judge
      where judge.heartbeat_at > now() - ${replicaLateSeconds} * interval '1 second'
        and judge.beating_since <= now() - ${replicaStaleSeconds} * interval '1 second'
    )
  )
)`;

const hasLostItsReplica = (state: SandboxState) => sql`exists (
  select from ${sandboxes}
  where ${sandboxes.sessionId} = ${sessions.id} and ${sandboxes.epoch} = ${sessions.epoch} and ${sandboxes.state} = ${state}
    and ${isGone(sandboxes.replicaId)}
)`;

const isIdle = sql`${hasPassed(sessions.lastActivityAt, sessions.idleTimeoutSeconds)} and not ${hasUnfinishedStep}
  and not ${hasProcessToEnd}`;

/** With an `Idempotency-Key`, the client can repeat its request, and the replica that serves the repeat goes on. */
const mayBeRepeated = sql`exists (select from ${idempotencyKeys} where ${idempotencyKeys.resourceId} = ${sessions.id})`;

/**
 * When each deadline of a session has passed. `sessions/deadlines.ts` says what they mean. The statement that finds a session and the
 * one that ends it use the same condition.
 */
export const deadlineConditions = {
  start: sql`${sessions.status} = 'creating' and ${sessions.startDeadlineAt} <= now()`,
  recovery: sql`${sessions.status} in ('recovering', 'resuming')
    and (${sessions.startDeadlineAt} <= now() or ${hasLostItsReplica('launching')})`,
  pause: sql`${sessions.status} = 'pausing' and (${sessions.startDeadlineAt} <= now() or ${hasLostItsReplica('bound')})`,
  abandoned: sql`${sessions.status} = 'creating' and ${hasLostItsReplica('launching')} and not ${mayBeRepeated}`,
  jobEnded: sql`${sessions.status} in ('active', 'budget_exceeded') and ${sessions.jobId} is not null and ${jobHasEnded}`,
  age: sql`${sessions.status} in ('active', 'budget_exceeded', 'lost', 'paused') and ${hasPassed(sessions.createdAt, sessions.timeoutSeconds)}`,
  idle: sql`${sessions.status} in ('active', 'budget_exceeded', 'lost') and ${sessions.onIdle} = 'end' and ${isIdle}`,
  idlePause: sql`${sessions.status} in ('active', 'budget_exceeded') and ${sessions.onIdle} = 'pause' and ${isIdle}`,
} satisfies Record<string, SQL>;

export type Deadline = keyof typeof deadlineConditions;

/** A sandbox of an earlier epoch, or of a session that is `lost`, whose removal has stopped. Few are on the way, and they have an index. */
export const hasSandboxLeft = sql`${sessions.endedAt} is null and ${sessions.id} in (
  select ${sandboxes.sessionId} from ${sandboxes}
  where ${sandboxes.state} = 'fencing' and (${sandboxes.deadlineAt} <= now() or ${isGone(sandboxes.replicaId)})
)`;
