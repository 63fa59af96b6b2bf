import type { PastStep } from '@holdfast/specs/agent';
import type { ArchiveFile } from './take-archive.ts';

/** Code and answers to its calls beyond this are not kept, and then the effects of the code count as unknown. */
const charactersMax = 4 * 1024 * 1024;

/** The part of a context's state that the agent has outside its kernel: an archive, and the steps that ran after it. */
export class ContextState {
  #archive: ArchiveFile | null = null;
  #steps: { number: number; step: PastStep }[] = [];
  #characters = 0;
  #noted = 0;
  /** The number of the last step whose code was not kept. */
  #lastDropped = 0;
  /** The number of the last step that the archive has. */
  #archived = 0;

  /** The path of the archive, if there is one. */
  get archive(): string | null {
    return this.#archive?.path ?? null;
  }

  get steps(): readonly PastStep[] {
    return this.#steps.map(({ step }) => step);
  }

  /** Whether `steps` has every step that ran after the archive. */
  get isComplete(): boolean {
    return this.#lastDropped <= this.#archived;
  }

  /** How many steps were noted: a state that is saved now has them all. The counts of a kernel begin anew with the next one. */
  get noted(): number {
    return this.#noted;
  }

  /** Notes a step that has run. */
  note(step: PastStep): void {
    this.#noted += 1;
    this.#characters += charactersOf(step);
    if (this.#characters > charactersMax) {
      this.#lastDropped = this.#noted;
      this.#steps = [];
      this.#characters = 0;
    } else this.#steps.push({ number: this.#noted, step });
  }

  /** Keeps this archive, which has the steps up to that number, instead of the one before. */
  async replace(archive: ArchiveFile | null, archived: number): Promise<void> {
    const earlier = this.#archive;
    this.#archive = archive;
    this.#archived = archived;
    this.#steps = this.#steps.filter(({ number }) => number > archived);
    this.#characters = this.#steps.reduce((sum, { step }) => sum + charactersOf(step), 0);
    await earlier?.remove();
  }

  /** Keeps the state that a recovery began with. */
  async begin(archive: ArchiveFile | null, steps: readonly PastStep[]): Promise<void> {
    const replaced = this.replace(archive, this.#noted);
    for (const step of steps) this.note(step);
    await replaced;
  }

  async forget(): Promise<void> {
    await this.replace(null, this.#noted);
  }
}

const charactersOf = ({ code, calls }: PastStep): number => code.length + (calls ? JSON.stringify(calls).length : 0);
