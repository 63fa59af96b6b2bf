import type { PastStep } from '@holdfast/specs/agent';
import type { ArchiveFile } from './take-archive.ts';

/** Code beyond this is not kept, and then its effects count as unknown. */
const codeCharactersMax = 4 * 1024 * 1024;

/** The part of a context's state that the agent has outside its kernel: an archive, and the steps that ran after it. */
export class ContextState {
  #archive: ArchiveFile | null = null;
  #steps: { number: number; step: PastStep }[] = [];
  #codeCharacters = 0;
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
    this.#codeCharacters += step.code.length;
    if (this.#codeCharacters > codeCharactersMax) {
      this.#lastDropped = this.#noted;
      this.#steps = [];
      this.#codeCharacters = 0;
    } else this.#steps.push({ number: this.#noted, step });
  }

  /** Keeps this archive, which has the steps up to that number, instead of the one before. */
  async replace(archive: ArchiveFile | null, archived: number): Promise<void> {
    const earlier = this.#archive;
    this.#archive = archive;
    this.#archived = archived;
    this.#steps = this.#steps.filter(({ number }) => number > archived);
    this.#codeCharacters = this.#steps.reduce((sum, { step }) => sum + step.code.length, 0);
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
