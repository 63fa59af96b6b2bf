import type { BackgroundOutput as BackgroundItem, BackgroundPage } from '@holdfast/specs/public';
import type { Stream } from '../kernel-process/kernel.ts';
import { incompleteCharacterBytes } from '../kernel-process/output/incomplete-character.ts';

const bytesMaxDefault = 256 * 1024;
/** What an item costs beside its bytes. */
const itemBytes = 64;
/** Half characters of so many sources are kept at a time. */
const restsMax = 64;

type Item = Omit<BackgroundItem, 'text' | 'time'> & { at: number; bytes: Buffer };

/** The last of what a context's code wrote after the end of its steps. Text is made only of what is asked for. */
export class BackgroundOutput {
  #bytesMax: number;
  #seq = 0;
  #items: Item[] = [];
  #keptBytes = 0;
  #droppedBytes = 0;
  /** Beginnings of characters whose rest is still to come, by step and stream. */
  #rests = new Map<string, Buffer>();

  constructor(bytesMax = bytesMaxDefault) {
    this.#bytesMax = bytesMax;
  }

  push(stream: Stream, output: Buffer | string, stepId: string | null): void {
    const bytes = typeof output === 'string' ? Buffer.from(output) : this.#wholeCharacters(stream, output, stepId);
    if (bytes.length === 0) return;
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#bytesMax + itemBytes));
    this.#droppedBytes += bytes.length - kept.length;
    this.#keptBytes += kept.length + itemBytes;
    this.#items.push({ seq: ++this.#seq, at: Date.now(), stepId, stream, bytes: copyOf(kept) });
    this.#makeRoom();
  }

  /** What came after the item numbered `after`; 0 is the beginning. */
  page(after: number): BackgroundPage {
    const items = this.#items.filter(({ seq }) => seq > after);
    return { items: items.map(shown), droppedBytes: this.#droppedBytes };
  }

  #makeRoom(): void {
    let gone = 0;
    for (const { bytes } of this.#items) {
      if (this.#keptBytes <= this.#bytesMax) break;
      this.#keptBytes -= bytes.length + itemBytes;
      this.#droppedBytes += bytes.length;
      gone += 1;
    }
    if (gone > 0) this.#items.splice(0, gone);
  }

  #wholeCharacters(stream: Stream, chunk: Buffer, stepId: string | null): Buffer {
    const source = `${stepId} ${stream}`;
    const rest = this.#rests.get(source);
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    this.#rests.delete(source);
    const whole = this.#rests.size < restsMax ? bytes.length - incompleteCharacterBytes(bytes) : bytes.length;
    if (whole < bytes.length) this.#rests.set(source, copyOf(bytes.subarray(whole)));
    return bytes.subarray(0, whole);
  }
}

function shown({ at, bytes, ...item }: Item): BackgroundItem {
  return { ...item, time: new Date(at).toISOString(), text: bytes.toString() };
}

/** Without the larger buffer that a piece of one keeps alive. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
