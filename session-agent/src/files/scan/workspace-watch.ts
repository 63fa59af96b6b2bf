import type { Change } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { compareScans } from './compare-scans.ts';
import { createScanQueue } from './scan-queue.ts';
import type { Scan } from './scan-record.ts';
import { scanAtOnce, scanWorkspace } from './scan-workspace.ts';
import { StepChanges, unlistedChanges } from './step-changes.ts';

/** What whoever runs code needs of it. */
export type StepWatch = Pick<WorkspaceWatch, 'stepStarted' | 'stepEnded' | 'stepDropped'>;

/** Before a scan ahead of the next step: what the host does often comes in many requests. */
const quietMs = 20;

/**
 * Says what a step created, changed and deleted in the workspace. There is one scan at the end of a step, and one before it only where
 * nobody has scanned yet or the host has changed something. What changed between two scans is said of every step that ran between them,
 * as `concurrent` where these are several or where the host changed something meanwhile. Steps that end together share a scan.
 */
export class WorkspaceWatch {
  #workspace: Workspace;
  #turns = createScanQueue();
  #last: Scan | null = null;
  /** A scan before a step has failed. The next steps do without it, until one at the end of a step has not. */
  #hasFailed = false;
  /** How often the host has changed something, now and when the last scan began. */
  #hostChanges = 0;
  #seenHostChanges = 0;
  #running = new Map<string, StepChanges>();
  /** Who could have changed something since the last scan began. */
  #suspects = new Set<string>();
  /** Who waits for a scan that has not begun. */
  #ended = new Set<string>();
  #look: Promise<void> | null = null;
  #beginning: Promise<void> | null = null;
  #soon: NodeJS.Timeout | undefined;

  constructor({ workspace }: { workspace: Workspace }) {
    this.#workspace = workspace;
  }

  /** What has to be awaited before the step's code runs, or null. Each call wants one of `stepEnded` or `stepDropped`. */
  stepStarted(stepId: string): Promise<void> | null {
    const isAlone = this.#running.size === 0;
    this.#running.set(stepId, new StepChanges());
    this.#suspects.add(stepId);
    return this.#beginning ?? (isAlone && !this.#isFresh && !this.#hasFailed ? this.#begin() : null);
  }

  /** What changed since the step started, sorted by path. Never throws: a scan that fails is an omission. */
  async stepEnded(stepId: string): Promise<Change[]> {
    const changes = this.#running.get(stepId);
    if (!changes) return [];
    this.#ended.add(stepId);
    this.#look ??= this.#turns.run(() => this.#compare());
    const hasFailed = await this.#look.then(
      () => false,
      () => true,
    );
    this.#running.delete(stepId);
    return [...changes.list(), ...(hasFailed ? [unlistedChanges('unreadable')] : [])];
  }

  /** The step has not run, or nobody wants to know any more. */
  stepDropped(stepId: string): void {
    this.#running.delete(stepId);
    this.#suspects.delete(stepId);
  }

  /** To be called once the host has changed something. */
  changedByHost(): void {
    this.#hostChanges += 1;
    this.scanAhead();
  }

  /** Scans while nothing runs, so that the next step need not wait for it. */
  scanAhead(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => {
      if (this.#running.size === 0 && !this.#isFresh && !this.#beginning) void this.#begin();
    }, quietMs).unref();
  }

  get #isFresh(): boolean {
    return this.#last !== null && this.#seenHostChanges === this.#hostChanges;
  }

  /** Makes the scan that later ones are compared with, at once where it can. Where it fails, the end of the step says so. */
  #begin(): Promise<void> | null {
    const small = this.#turns.isFree ? this.#scanAtOnce() : null;
    if (small) {
      this.#begun(small, this.#hostChanges);
      return null;
    }
    this.#beginning = this.#turns.run(async () => {
      const hostChanges = this.#hostChanges;
      this.#begun(await scanWorkspace(this.#workspace, this.#last).catch(() => null), hostChanges);
      this.#beginning = null;
    });
    return this.#beginning;
  }

  #scanAtOnce(): Scan | null {
    try {
      return scanAtOnce(this.#workspace, this.#last);
    } catch {
      return null;
    }
  }

  #begun(scan: Scan | null, hostChanges: number): void {
    this.#last = scan;
    this.#hasFailed = scan === null;
    this.#seenHostChanges = hostChanges;
    this.#suspects = new Set(this.#running.keys());
  }

  async #compare(): Promise<void> {
    const [ended, suspects, hostChanges] = [this.#ended, this.#suspects, this.#hostChanges];
    this.#look = null;
    this.#ended = new Set();
    this.#suspects = new Set([...this.#running.keys()].filter((stepId) => !ended.has(stepId)));
    const before = this.#last;
    const after = await scanWorkspace(this.#workspace, before).catch((error) => {
      this.#suspects = new Set([...suspects, ...this.#suspects]);
      throw error;
    });
    this.#last = after;
    this.#hasFailed = false;
    const hostWrote = this.#hostChanges !== this.#seenHostChanges;
    this.#seenHostChanges = hostChanges;
    if (!before) throw new Error('there is nothing to compare with');
    const differences = compareScans(before, after);
    const involved = new Set([...suspects, ...this.#suspects]);
    const concurrent = involved.size > 1 || hostWrote;
    for (const stepId of involved) {
      this.#running.get(stepId)?.add(differences, { concurrent, isCut: before.isCut || after.isCut });
    }
  }
}
