import { randomUUID } from 'node:crypto';
import type { Database } from '../registry/connect.ts';
import { type AdmittedInput, type AdmittedRow, insertAdmittedStep } from '../registry/steps/insert-admitted-step.ts';
import { type UnsentStep, withdrawStep } from '../registry/steps/withdraw-step.ts';

type Admitted = Omit<AdmittedInput, 'admissionId'>;

/** `giveUp`: gives up the step, as long as it was not sent. */
type Admission = { row: AdmittedRow; giveUp(): Promise<void> };

export type Admissions = ReturnType<typeof createAdmissions>;

/** Far longer than a statement may run after its caller was told that its answer is lost. */
const lateMsMax = 10 * 60_000;

/**
 * The steps that this replica has not sent although the registry may have a row of them: those under admission, and those that it gave
 * up because the answer of the database or of the agent was a failure. As long as it knows them, it does not take them over from
 * itself: that would use up their ids, and with them their Idempotency-Keys.
 *
 * If the answer to an admission is lost, the statement may have had its effect, or may yet have it. So the row is withdrawn until it was
 * found once, or no statement can be that late. Meanwhile a repeat of the request may admit the same id anew, under another admission.
 */
export function createAdmissions({ db, replicaId }: { db: Database; replicaId: string }) {
  const underWay = new Set<UnsentStep>();
  /** With the time, in ms, at which each was given up. */
  const givenUp = new Map<UnsentStep, number>();

  async function withdraw(step: UnsentStep): Promise<void> {
    const sinceMs = givenUp.get(step) ?? performance.now();
    givenUp.set(step, sinceMs);
    const isLate = performance.now() - sinceMs > lateMsMax;
    if ((await withdrawStep(db, step)) || isLate) givenUp.delete(step);
  }

  async function giveUp(step: Pick<UnsentStep, 'id' | 'admissionId'>): Promise<void> {
    const unsent = { ...step, replicaId };
    // An answer of either kind is the last word: no earlier statement of this replica can insert the row any more.
    await withdraw(unsent).then(
      () => givenUp.delete(unsent),
      () => {},
    );
  }

  return {
    /** All these steps. Another admission may have inserted a row of the same id. */
    unsent: (): UnsentStep[] => [...underWay, ...givenUp.keys()],

    /**
     * Inserts the row of a step that must not be sent before. If that fails, a row that may be there is withdrawn.
     * @returns null as `insertAdmittedStep` does
     */
    async admit(admission: Admitted): Promise<Admission | null> {
      const step = { id: admission.step.id, replicaId, admissionId: randomUUID() };
      for (const earlier of givenUp.keys()) if (earlier.id === step.id) await withdraw(earlier);
      underWay.add(step);
      try {
        const row = await insertAdmittedStep(db, { ...admission, admissionId: step.admissionId });
        return row && { row, giveUp: () => giveUp(step) };
      } catch (error) {
        givenUp.set(step, performance.now());
        throw error;
      } finally {
        underWay.delete(step);
      }
    },

    /** Withdraws the row of a step that provably did not start, now or as soon as the database answers. Never rejects. */
    giveUp,

    /** Withdraws what is left, as far as the database answers. @throws the error of the database */
    async withdrawGivenUp(): Promise<void> {
      for (const step of givenUp.keys()) await withdraw(step);
    },
  };
}
