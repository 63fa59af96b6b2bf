import type { WorkspaceChanges } from '@holdfast/specs/agent';
import type { Workspace } from '../paths/open-workspace.ts';
import { attributeChanges } from './attribute-changes.ts';
import { compareScans, withClosed } from './compare-scans.ts';
import type { PathRecord } from './path-record.ts';
import { readLink } from './read-link.ts';
import { createScanQueue } from './scan-queue.ts';
import type { Scan } from './scan-record.ts';
import { isStillEmpty, scanAtOnce, scanWorkspace } from './scan-workspace.ts';
import { StepChanges, unlistedChanges } from './step-changes.ts';

/** The part of a watch that steps and jobs use. */
export type StepWatch = Pick<WorkspaceWatch, 'isBusy' | 'stepStarted' | 'stepEnded' | 'stepDropped'>;

/** Delay before a scan ahead of the next step, since the host often makes its changes in many requests. */
const quietMs = 20;

/**
 * Finds out which files and directories a step created, modified and deleted in the workspace. It scans once at the end of a step. A scan before the step
 * is needed only if there is none yet or the host has changed something since. A change between two scans belongs to the steps that ran
 * between them, as `attributeChanges` says; it is `concurrent` if there were several of them, or if the host changed something in that time. Steps that end
 * together share a scan.
 */
export class WorkspaceWatch {
  #workspace: Workspace;
  #scans = createScanQueue();
  #last: Scan | null = null;
  /** A scan before a step has failed. Later steps skip that scan until a scan at the end of a step succeeds. */
  #hasFailed = false;
  /** Counts the changes by the host: until now, and until the last scan began. */
  #hostChanges = 0;
  #scannedHostChanges = 0;
  #running = new Map<string, { changes: StepChanges; record: PathRecord | null }>();
  /** The steps that could have changed something since the last scan began. */
  #suspects = new Set<string>();
  /** The steps that wait for a scan that has not begun. */
  #ended = new Set<string>();
  #comparison: Promise<void> | null = null;
  #pendingScan: Promise<void> | null = null;
  #aheadTimer: NodeJS.Timeout | undefined;

  constructor({ workspace }: { workspace: Workspace }) {
    this.#workspace = workspace;
  }

  /** Whether a step runs. The changes of another one that starts now are told from its own only by a record. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Await the promise, if there is one, before the step's code runs. Follow each call with `stepEnded` or `stepDropped`; until then `record` is read. */
  stepStarted(stepId: string, record: PathRecord | null = null): Promise<void> | null {
    const isAlone = !this.isBusy;
    this.#running.set(stepId, { changes: new StepChanges(), record });
    this.#suspects.add(stepId);
    return this.#pendingScan ?? (isAlone && !this.#isFresh && !this.#hasFailed ? this.#scanBefore() : null);
  }

  /** The changes since the step started, at once if it can. Never fails: a failed scan becomes an omission. */
  stepEnded(stepId: string): WorkspaceChanges | Promise<WorkspaceChanges> {
    const changes = this.#running.get(stepId)?.changes;
    if (!changes) return { changes: [], directories: [] };
    if (!this.#isStillEmpty()) return this.#endWithScan(stepId, changes);
    // A scan would find what the last one did, so nothing is compared.
    this.#running.delete(stepId);
    this.#suspects = new Set(this.#running.keys());
    this.#hasFailed = false;
    this.#scannedHostChanges = this.#hostChanges;
    return this.#list(changes);
  }

  #list(changes: StepChanges): WorkspaceChanges {
    return changes.list((link) => readLink(this.#workspace, link));
  }

  async #endWithScan(stepId: string, changes: StepChanges): Promise<WorkspaceChanges> {
    this.#ended.add(stepId);
    this.#comparison ??= this.#scans.run(() => this.#compare());
    const hasFailed = await this.#comparison.then(
      () => false,
      () => true,
    );
    this.#running.delete(stepId);
    const list = this.#list(changes);
    return hasFailed ? { ...list, changes: [...list.changes, unlistedChanges('unreadable')] } : list;
  }

  /** The step did not run, or its changes are not needed. */
  stepDropped(stepId: string): void {
    this.#running.delete(stepId);
    this.#suspects.delete(stepId);
  }

  /** Call after the host has changed something. */
  changedByHost(): void {
    this.#hostChanges += 1;
    this.scanAhead();
  }

  /** Scans while no step runs, so that the next step does not wait for a scan. */
  scanAhead(): void {
    clearTimeout(this.#aheadTimer);
    this.#aheadTimer = setTimeout(() => {
      if (this.#running.size === 0 && !this.#isFresh && !this.#pendingScan) void this.#scanBefore();
    }, quietMs).unref();
  }

  /** Whether it is known without a scan that the workspace is empty, as it was at the last scan, and no scan is under way. */
  #isStillEmpty(): boolean {
    if (!this.#last || !this.#scans.isFree) return false;
    try {
      return isStillEmpty(this.#workspace, this.#last);
    } catch {
      return false;
    }
  }

  get #isFresh(): boolean {
    return this.#last !== null && this.#scannedHostChanges === this.#hostChanges;
  }

  /** Makes the scan that the next one is compared with, synchronously if it can. If it fails, the end of the step reports that. */
  #scanBefore(): Promise<void> | null {
    const small = this.#scans.isFree ? this.#scanAtOnce() : null;
    if (small) {
      this.#scannedBefore(small, this.#hostChanges);
      return null;
    }
    this.#pendingScan = this.#scans.run(async () => {
      const hostChanges = this.#hostChanges;
      this.#scannedBefore(await scanWorkspace(this.#workspace, this.#last).catch(() => null), hostChanges);
      this.#pendingScan = null;
    });
    return this.#pendingScan;
  }

  #scanAtOnce(): Scan | null {
    try {
      return scanAtOnce(this.#workspace, this.#last);
    } catch {
      return null;
    }
  }

  #scannedBefore(scan: Scan | null, hostChanges: number): void {
    this.#last = scan && withClosed(this.#last, scan);
    this.#hasFailed = scan === null;
    this.#scannedHostChanges = hostChanges;
    this.#suspects = new Set(this.#running.keys());
  }

  async #compare(): Promise<void> {
    const [ended, suspects, hostChanges] = [this.#ended, this.#suspects, this.#hostChanges];
    this.#comparison = null;
    this.#ended = new Set();
    this.#suspects = new Set([...this.#running.keys()].filter((stepId) => !ended.has(stepId)));
    const before = this.#last;
    const scan = await scanWorkspace(this.#workspace, before).catch((error) => {
      this.#suspects = new Set([...suspects, ...this.#suspects]);
      throw error;
    });
    const after = withClosed(before, scan);
    this.#last = after;
    this.#hasFailed = false;
    const hostWrote = this.#hostChanges !== this.#scannedHostChanges;
    this.#scannedHostChanges = hostChanges;
    if (!before) throw new Error('there is no earlier scan to compare with');
    const differences = compareScans(before, after);
    const involved = new Set([...suspects, ...this.#suspects]);
    const isCut = before.isCut || after.isCut;
    const records = new Map([...involved].map((stepId) => [stepId, this.#running.get(stepId)?.record ?? null]));
    for (const [stepId, { alone, shared }] of attributeChanges(differences, records)) {
      const changes = this.#running.get(stepId)?.changes;
      changes?.add(alone, { concurrent: hostWrote, isCut });
      changes?.add(shared, { concurrent: true, isCut });
    }
  }
}
