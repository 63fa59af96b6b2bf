import type { Change } from '@holdfast/specs';
import { compareScans } from './compare-scans.ts';
import type { Workspace } from './open-workspace.ts';
import type { Scan } from './scan-record.ts';
import { scanWorkspace } from './scan-workspace.ts';
import { StepChanges, unseen } from './step-changes.ts';

/**
 * Says what a step created, changed and deleted in the workspace. There is one scan at the end of a step, and one before it only where
 * nobody has scanned yet or the host has changed something. What changed between two scans is said of every step that ran between them,
 * as `concurrent` where these are several or where the host changed something meanwhile.
 */
export class WorkspaceWatch {
  #workspace: Workspace;
  #last: Scan | null = null;
  /** Whether `#last` is older than a change by the host. */
  #isStale = false;
  #running = new Map<string, StepChanges>();
  /** Who could have changed something since the last scan began. */
  #suspects = new Set<string>();
  #scanning: Promise<unknown> = Promise.resolve();
  #beginning: Promise<void> = Promise.resolve();

  constructor({ workspace }: { workspace: Workspace }) {
    this.#workspace = workspace;
  }

  /** To be awaited before the step's code runs. */
  async stepStarted(stepId: string): Promise<void> {
    const isFirst = this.#running.size === 0;
    this.#running.set(stepId, new StepChanges());
    this.#suspects.add(stepId);
    if (this.#last === null || (this.#isStale && isFirst)) this.#beginning = this.#inTurn(() => this.#begin());
    await this.#beginning;
  }

  /** What changed since the step started, sorted by path. Never throws: a scan that fails is an omission. */
  async stepEnded(stepId: string): Promise<Change[]> {
    const changes = this.#running.get(stepId);
    if (!changes) return [];
    const hasFailed = await this.#inTurn(() => this.#look(stepId)).then(
      () => false,
      () => true,
    );
    this.#running.delete(stepId);
    return [...changes.list(), ...(hasFailed ? [unseen('unreadable')] : [])];
  }

  /** To be called once the host has changed something. */
  changedByHost(): void {
    if (this.#running.size === 0) this.#isStale = true;
    else this.#suspects.add('host');
  }

  #inTurn(scan: () => Promise<void>): Promise<void> {
    const done = this.#scanning.then(scan);
    this.#scanning = done.catch(() => {});
    return done;
  }

  /** The scan that later ones are compared with. Where it fails, the end of the step says so. */
  async #begin(): Promise<void> {
    if (this.#last !== null && !this.#isStale) return;
    this.#isStale = false;
    this.#last = await this.#scan(this.#last).catch(() => null);
  }

  async #scan(last: Scan | null): Promise<Scan> {
    return scanWorkspace(this.#workspace, last);
  }

  async #look(endedId: string): Promise<void> {
    const suspects = this.#suspects;
    this.#suspects = new Set([...this.#running.keys()].filter((stepId) => stepId !== endedId));
    const before = this.#last;
    const after = await this.#scan(before).catch((error) => {
      this.#suspects = new Set([...suspects, ...this.#suspects]);
      throw error;
    });
    this.#last = after;
    if (!before) throw new Error('there is nothing to compare with');
    const differences = compareScans(before, after);
    const involved = new Set([...suspects, ...this.#suspects]);
    for (const stepId of involved) {
      this.#running.get(stepId)?.add(differences, { concurrent: involved.size > 1, isCut: after.isCut });
    }
  }
}
