import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { sessions } from '../schema/sessions.ts';
import { steps } from '../schema/steps.ts';

const hasPassed = (start: SQLWrapper, seconds: SQLWrapper) => sql`${start} + ${seconds} * interval '1 second' <= now()`;

/** A step is unfinished as long as a replica follows it. */
const hasUnfinishedStep = sql`exists (
  select from ${steps} where ${steps.sessionId} = ${sessions.id} and ${steps.replicaId} is not null
)`;

const jobHasEnded = sql`exists (
  select from ${steps} where ${steps.id} = ${sessions.jobId} and ${steps.finishedAt} is not null
)`;

/**
 * When each deadline of a session has passed. `sessions/deadlines.ts` says what they mean. The statement that finds a session and the
 * one that ends it use the same condition.
 */
export const deadlineConditions = {
  start: sql`${sessions.status} = 'creating' and ${sessions.startDeadlineAt} <= now()`,
  jobEnded: sql`${sessions.status} = 'active' and ${sessions.jobId} is not null and ${jobHasEnded}`,
  age: sql`${sessions.status} = 'active' and ${hasPassed(sessions.createdAt, sessions.timeoutSeconds)}`,
  idle: sql`${sessions.status} = 'active' and ${hasPassed(sessions.lastActivityAt, sessions.idleTimeoutSeconds)}
    and not ${hasUnfinishedStep}`,
} satisfies Record<string, SQL>;

export type Deadline = keyof typeof deadlineConditions;
