import type {
  Artifact,
  ArtifactRole,
  Cause,
  CodeLanguage,
  EndReason,
  JobProgram,
  Language,
  Network,
  Omission,
  Outcome,
  Scope,
  SessionStatus,
  StepStatus,
} from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** What a client owns. `epoch` is the life of the sandbox; every transition is one UPDATE that repeats status and epoch. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    tenant: text('tenant').notNull(),
    status: text('status').$type<SessionStatus>().notNull(),
    language: text('language').$type<Language>().notNull(),
    runtime: text('runtime').notNull(),
    network: text('network').$type<Network>().notNull(),
    profile: text('profile').notNull().default('default'),
    epoch: integer('epoch').notNull().default(1),
    metadata: jsonb('metadata').$type<Record<string, string>>().notNull(),
    /** JWE of the environment as JSON, or null where there is none. */
    env: text('env'),
    /** The job that the session is for: it is over when that has ended. */
    jobId: text('job_id'),
    timeoutSeconds: integer('timeout_seconds').notNull(),
    idleTimeoutSeconds: integer('idle_timeout_seconds').notNull(),
    /** The highest step number. */
    stepCount: integer('step_count').notNull().default(0),
    /** Steps up to this number were purged by the history cap. */
    purgedStepNumber: integer('purged_step_number').notNull().default(0),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
    lastActivityAt: time('last_activity_at').notNull().defaultNow(),
    /** While `creating`: when the start has failed. */
    startDeadlineAt: time('start_deadline_at').notNull(),
    endedAt: time('ended_at'),
    endReason: text('end_reason').$type<EndReason>(),
    /** The cause in the runtime's own words. */
    endMessage: text('end_message'),
    /** When the sandbox of the ended session was seen to be gone. */
    sandboxGoneAt: time('sandbox_gone_at'),
    /** When the client asked for the row to go too; it goes once the sandbox has. */
    deleteRequestedAt: time('delete_requested_at'),
    /** Not before this may a reconciler take the row: whoever takes it defers it. */
    nextLookAt: time('next_look_at').notNull().defaultNow(),
  },
  (table) => [
    index('sessions_by_tenant').on(table.tenant, table.createdAt.desc(), table.id.desc()),
    index('sessions_by_metadata').using('gin', sql`${table.metadata} jsonb_path_ops`),
    index('sessions_live').on(table.tenant).where(sql`${table.status} in ('creating', 'active')`),
    index('sessions_due')
      .on(table.nextLookAt)
      .where(sql`${table.sandboxGoneAt} is null or ${table.deleteRequestedAt} is not null`),
    index('sessions_at_rest').on(table.endedAt).where(sql`${table.sandboxGoneAt} is not null`),
  ],
);

/** Session → sandbox. One row per session: the bound sandbox of its epoch. */
export const sessionOperations = pgTable('session_routes', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  epoch: integer('epoch').notNull(),
  sandboxName: text('sandbox_name').notNull(),
  sandboxUid: text('sandbox_uid').notNull().unique(),
  node: text('node').notNull(),
  /** `http://address:port` */
  endpoint: text('endpoint').notNull(),
  /** Raw Ed25519 public key, base64url. */
  agentPublicKey: text('agent_public_key').notNull(),
  /** JWE of the session's token. */
  token: text('token').notNull(),
  tokenExpiresAt: time('token_expires_at').notNull(),
  boundAt: time('bound_at').notNull().defaultNow(),
  lastSeenAt: time('last_seen_at').notNull().defaultNow(),
});

/**
 * Sandboxes that are kept ready, and those that a session has claimed and is not bound to yet: with the bind the row goes. A claim
 * is for ever, so nothing ever sets `session_id` back, which is also why it refers to no row that could be deleted.
 */
export const warmSandboxes = pgTable(
  'warm_sandboxes',
  {
    name: text('name').primaryKey(),
    profile: text('profile').notNull(),
    network: text('network').$type<Network>().notNull(),
    /** What it was made from; see `WarmPool`. */
    template: text('template').notNull(),
    /** Null while it is starting, as all that is known from then on. */
    readyAt: time('ready_at'),
    uid: text('uid').unique(),
    node: text('node'),
    endpoint: text('endpoint'),
    agentPublicKey: text('agent_public_key'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The session that has claimed it. */
    sessionId: text('session_id').unique(),
    claimedAt: time('claimed_at'),
  },
  (table) => [
    index('warm_sandboxes_unclaimed')
      .on(table.profile, table.network, table.template, table.createdAt)
      .where(sql`${table.sessionId} is null`),
  ],
);

/** What replicas want to be kept ready. During a rolling update they differ, and each says what it wants for as long as it lives. */
export const warmWishes = pgTable(
  'warm_wishes',
  {
    profile: text('profile').notNull(),
    network: text('network').$type<Network>().notNull(),
    template: text('template').notNull(),
    size: integer('size').notNull(),
    seenAt: time('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.profile, table.network, table.template, table.size] })],
);

/** Contexts that clients have made. Default contexts have no row: each is as old as its session. */
export const contexts = pgTable(
  'contexts',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    language: text('language').$type<Language>().notNull(),
    cwd: text('cwd').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    deletedAt: time('deleted_at'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.id] })],
);

/** The history. `events` holds the step's frames (specs/src/agent/frames.ts), so output is kept as the bytes it was. */
export const steps = pgTable(
  'steps',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    /** Null for a job. */
    contextId: text('context_id'),
    epoch: integer('epoch').notNull(),
    contextEpoch: integer('context_epoch'),
    actor: text('actor').$type<'agent' | 'user'>().notNull(),
    language: text('language').$type<CodeLanguage>().notNull(),
    code: text('code').notNull(),
    /** What only a job has. */
    job: jsonb('job').$type<JobProgram>(),
    status: text('status').$type<StepStatus>().notNull(),
    outcome: jsonb('outcome').$type<Outcome>(),
    cause: jsonb('cause').$type<Cause>(),
    truncated: boolean('truncated').notNull().default(false),
    events: bytea('events'),
    executionCount: integer('execution_count'),
    /** SHA-256 of the request that came with an Idempotency-Key. */
    fingerprint: bytea('fingerprint'),
    /** The replica that follows the step; null once it has ended. */
    replicaId: text('replica_id'),
    /** How long it may run; whoever follows it holds it to that. */
    timeoutMs: integer('timeout_ms').notNull(),
    queuedAt: time('queued_at').notNull(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    /** Wall time of the run in milliseconds, as the agent measured it. */
    durationMs: doublePrecision('duration_ms'),
  },
  (table) => [
    uniqueIndex('steps_by_number').on(table.sessionId, table.number),
    index('steps_unfinished').on(table.sessionId, table.replicaId).where(sql`${table.replicaId} is not null`),
  ],
);

/**
 * Contents, each once however many files have it. One without a `sha256` is being written, or nothing has referred to it for long and it
 * is about to go.
 */
export const contents = pgTable(
  'contents',
  {
    /** The object's key in its store; never used twice. */
    id: text('id').primaryKey(),
    sha256: bytea('sha256').unique(),
    size: bigint('size', { mode: 'number' }).notNull().default(0),
    store: text('store').$type<'postgres' | 's3'>().notNull(),
    /** When somebody last wanted to refer to it, or wrote to it; -infinity: its bytes are being removed. */
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  (table) => [index('contents_unnamed').on(table.store, table.touchedAt).where(sql`${table.sha256} is null`)],
);

/** The store that needs nothing else: contents in pieces. */
export const contentPieces = pgTable(
  'content_pieces',
  {
    contentId: text('content_id')
      .notNull()
      .references(() => contents.id, { onDelete: 'cascade' }),
    /** From 0 on; all but the last have the same size. */
    number: integer('number').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.contentId, table.number] })],
);

/** What steps and jobs did to files. The step's row may come later, so it is not referred to. */
export const artifacts = pgTable(
  'artifacts',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    stepId: text('step_id').notNull(),
    path: text('path').notNull(),
    role: text('role').$type<ArtifactRole>().notNull(),
    change: text('change').$type<Artifact['change']>().notNull(),
    size: bigint('size', { mode: 'number' }),
    sha256: bytea('sha256').references(() => contents.sha256),
    mimeType: text('mime_type'),
    concurrent: boolean('concurrent').notNull(),
    omission: text('omission').$type<Omission>(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('artifacts_by_session').on(table.sessionId, table.createdAt, table.id),
    index('artifacts_by_step').on(table.stepId),
    index('artifacts_by_content').on(table.sha256).where(sql`${table.sha256} is not null`),
  ],
);

/** The approved files of a session: what a new sandbox of it begins with. */
export const worldFiles = pgTable(
  'world_files',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Ordered by bytes (collation C), so that what lies below a directory is one range. */
    path: text('path').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    sha256: bytea('sha256')
      .notNull()
      .references(() => contents.sha256),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.path] }), index('world_files_by_content').on(table.sha256)],
);

/** Data-plane processes. A running step names its replica; one without a heartbeat loses its steps to another. */
export const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  /** Where only one replica can run at a time (a pod name, a data directory): a newcomer there succeeds the earlier one. */
  slot: text('slot').notNull().unique(),
  heartbeatAt: time('heartbeat_at').notNull().defaultNow(),
});

/** What DELETE leaves behind, so that the id answers 410 and not 404. */
export const tombstones = pgTable('tombstones', {
  sessionId: text('session_id').primaryKey(),
  tenant: text('tenant').notNull(),
  deletedAt: time('deleted_at').notNull().defaultNow(),
});

export const apiKeys = pgTable('api_keys', {
  id: text('id').primaryKey(),
  tenant: text('tenant').notNull(),
  name: text('name').notNull(),
  scopes: jsonb('scopes').$type<Scope[]>().notNull(),
  /** SHA-256 of the key. */
  hash: bytea('hash').notNull(),
  /** The first 8 bytes of `hash` as hex: finds the row, the whole hash is then compared in constant time. */
  hashPrefix: text('hash_prefix').notNull().unique(),
  /** It came from the configuration, and lives until that has another one. */
  isConfigured: boolean('is_configured').notNull().default(false),
  createdAt: time('created_at').notNull().defaultNow(),
  revokedAt: time('revoked_at'),
});

/** First requests by `Idempotency-Key`, but for steps, which carry their own. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    tenant: text('tenant').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the creation's label and the parsed body. */
    fingerprint: bytea('fingerprint').notNull(),
    /** The replica that answers the first request, null once it has or has given up; where it is gone, a repeat takes over. */
    replicaId: text('replica_id'),
    /** What the first request made, so that a crash before the answer is not a second creation. */
    resourceId: text('resource_id').notNull(),
    status: integer('status'),
    /** JWE of the answer's body, null until there is one. */
    response: text('response'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('idempotency_keys_by_age').on(table.createdAt)],
);

/** Keys that nobody configured: made once in development, for all replicas. Production has none here. */
export const developmentKeys = pgTable('development_keys', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});

/** One row per periodic duty of which one replica at a time takes a turn. */
export const ticks = pgTable('ticks', {
  name: text('name').primaryKey(),
  lastAt: time('last_at').notNull(),
});

export type SessionRow = typeof sessions.$inferSelect;
export type RouteRow = typeof sessionOperations.$inferSelect;
export type ContextRow = typeof contexts.$inferSelect;
export type StepRow = typeof steps.$inferSelect;
export type ArtifactRow = typeof artifacts.$inferSelect;
export type WorldFileRow = typeof worldFiles.$inferSelect;
export type ApiKeyRow = typeof apiKeys.$inferSelect;
