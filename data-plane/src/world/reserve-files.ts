import type { Omission } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { lockTenant } from '../registry/tenants/lock-tenant.ts';
import { type Room, readRoom, type StorageLimits } from '../registry/tenants/read-room.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { listReplaceableFiles } from '../registry/world-files/list-replaceable-files.ts';
import { reserveRoom } from '../registry/world-files/reserve-room.ts';

/** The bytes that may be stored of one file, of all files of one write, of a session and of a tenant. */
export type FileLimits = StorageLimits & { keptFileBytesMax: number; keptStepBytesMax: number };

type NewFile = { path: string; size: number };

type ReserveInput = {
  tenant: string;
  claim: WorldClaim;
  files: readonly NewFile[];
  /** The number of files that may be stored. */
  filesMax: number;
};

/**
 * Reserves room in the session and its tenant for the files that a write is about to store, so that writes at the same time, on any
 * replica, find only the room that this one leaves. Returns for each file null, or the reason why it does not fit.
 */
export async function reserveFiles(
  { db, limits }: { db: Database; limits: FileLimits },
  { tenant, claim, files, filesMax }: ReserveInput,
): Promise<(Omission | null)[]> {
  const { sessionId } = claim;
  return await db.transaction(async (tx) => {
    // Sent together over one connection, which executes them in order.
    const [, room] = await Promise.all([lockTenant(tx, { tenant }), readRoom(tx, { tenant, sessionId, limits })]);
    // Only near a limit it matters that a file replaces another one.
    const isNear = sum(files.map(({ size }) => size)) > Math.min(room.session, room.tenant);
    const paths = files.map(({ path }) => path);
    const replaced = isNear ? await listReplaceableFiles(tx, { sessionId, paths }) : new Map<string, number>();
    const plan = planFiles(files, { room, replaced, limits, filesMax });
    await reserveRoom(tx, { claim, bytes: plan.bytes });
    return plan.omissions;
  });
}

type PlanInput = {
  room: Room;
  /** The bytes that a file at a path frees. */
  replaced: ReadonlyMap<string, number>;
  limits: Pick<FileLimits, 'keptFileBytesMax' | 'keptStepBytesMax'>;
  filesMax: number;
};

/** Chooses each file that fits, in their order. `bytes` are those that the chosen files add. Pure. */
export function planFiles(
  files: readonly NewFile[],
  { room, replaced, limits: { keptFileBytesMax, keptStepBytesMax }, filesMax }: PlanInput,
): { omissions: (Omission | null)[]; bytes: number } {
  let [stored, size, bytes] = [0, 0, 0];
  const omissions = files.map((file) => {
    const added = Math.max(0, file.size - (replaced.get(file.path) ?? 0));
    if (file.size > keptFileBytesMax) return 'too-large';
    if (stored === filesMax || size + file.size > keptStepBytesMax) return 'step-limit';
    if (added > 0 && bytes + added > room.session) return 'session-limit';
    if (added > 0 && bytes + added > room.tenant) return 'tenant-limit';
    stored += 1;
    size += file.size;
    bytes += added;
    return null;
  });
  return { omissions, bytes };
}

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
