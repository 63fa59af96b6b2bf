import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PastStep } from '@holdfast/specs/agent';
import type { ArchiveFile } from './take-archive.ts';

/** Code beyond this is not kept, and then its effects count as unknown. */
const codeCharactersMax = 4 * 1024 * 1024;

/** The part of a context's state that the agent has outside its kernel: an archive, and the steps that ran after it. */
export class ContextState {
  #archive: ArchiveFile | null = null;
  #steps: (PastStep & { executionCount: number })[] = [];
  #codeCharacters = 0;
  #isComplete = true;

  /** The path of the archive, if there is one. */
  get archive(): string | null {
    return this.#archive?.path ?? null;
  }

  get steps(): readonly PastStep[] {
    return this.#steps.map(({ executionCount: _, ...step }) => step);
  }

  /** Whether `steps` has every step that ran after the archive. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Notes a step that has run. */
  note(step: PastStep, executionCount: number): void {
    this.#codeCharacters += step.code.length;
    if (this.#codeCharacters > codeCharactersMax) {
      this.#isComplete = false;
      this.#steps = [];
    } else this.#steps.push({ ...step, executionCount });
  }

  /** Keeps this archive of the state after that execution, instead of the one before. */
  async replace(archive: ArchiveFile | null, executionCount: number): Promise<void> {
    const earlier = this.#archive;
    this.#archive = archive;
    const later = this.#isComplete ? this.#steps.filter((step) => step.executionCount > executionCount) : [];
    this.#steps = later;
    this.#codeCharacters = later.reduce((sum, { code }) => sum + code.length, 0);
    this.#isComplete = true;
    await earlier?.remove();
  }

  /** Keeps the state that a recovery began with. Its steps come before every step of the new kernel. */
  async begin(archive: ArchiveFile | null, steps: readonly PastStep[]): Promise<void> {
    await this.replace(archive, Number.MAX_SAFE_INTEGER);
    for (const step of steps) this.note(step, 0);
  }

  async forget(): Promise<void> {
    await this.replace(null, Number.MAX_SAFE_INTEGER);
  }
}

/** Stores an archive that comes in the body of a request. */
export async function storeArchive(tmp: string, body: AsyncIterable<Uint8Array>): Promise<ArchiveFile> {
  const folder = await mkdtemp(join(tmp, 'holdfast-state-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'archive');
    const file = createWriteStream(path, { mode: 0o600 });
    await pipeline(body, file);
    return { path, size: file.bytesWritten, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
