import { purgeHistory } from '../registry/sessions/purge-history.ts';
import { correctKeptBytes } from '../registry/tenants/correct-kept-bytes.ts';

type HistoryDependencies = { db: Parameters<typeof purgeHistory>[0]; history: HistoryLimits };

/** From the configuration. */
export type HistoryLimits = {
  /** Steps stored per session, and bytes per session and per tenant; older steps are purged. */
  stepsPerSessionMax: number;
  bytesPerSessionMax: number;
  bytesPerTenantMax: number;
  /** How long an ended session stays readable, and after it the tombstone of a deleted one. */
  retentionSeconds: number;
};

const daySeconds = 24 * 60 * 60;

/** How long an MCP session may be unused. */
export const mcpSessionSeconds: number = daySeconds;

/** How long each kind of row stays in the registry. Pure. */
export const retentionOf = ({ retentionSeconds, ...sizes }: HistoryLimits) => ({
  ...sizes,
  sessionSeconds: retentionSeconds,
  tombstoneSeconds: retentionSeconds,
  /** A repeat of a request that comes later than this is a new request. */
  idempotencyKeySeconds: daySeconds,
  /** Counted from the last heartbeat. */
  silentReplicaSeconds: daySeconds,
  /** Counted from the last attempt. */
  webhookDeliverySeconds: 7 * daySeconds,
  /** Counted from the revocation or the expiry. The audit log tells of them for longer. */
  closedPortSeconds: 7 * daySeconds,
  mcpSessionSeconds,
});

/** Purges everything that has outlived its retention, and sees that what is left is counted correctly. */
export async function applyRetention({ db, history }: HistoryDependencies): Promise<void> {
  await purgeHistory(db, retentionOf(history));
  await correctKeptBytes(db);
}
