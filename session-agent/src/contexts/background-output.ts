import type { BackgroundOutput as BackgroundItem, BackgroundPage, CommMessage } from '@holdfast/specs/public';
import type { Stream } from '../kernel-process/kernel.ts';
import { incompleteCharacterBytes } from '../kernel-process/output/incomplete-character.ts';

const bytesMaxDefault = 256 * 1024;
/** The memory of an item besides its bytes. */
const itemBytes = 64;
/** Incomplete characters are remembered for this many sources at a time. */
const restsMax = 64;

type Item = Omit<BackgroundItem, 'text' | 'comm' | 'time'> & { at: number; bytes: Buffer };

/** The latest output that a context's code wrote after the end of its steps. Bytes are decoded only when they are read. */
export class BackgroundOutput {
  #bytesMax: number;
  #seq = 0;
  #items: Item[] = [];
  #storedBytes = 0;
  #droppedBytes = 0;
  /** Incomplete characters whose rest is still to come, by step and stream. */
  #rests = new Map<string, Buffer>();

  constructor(bytesMax = bytesMaxDefault) {
    this.#bytesMax = bytesMax;
  }

  push(stream: Stream, output: Buffer | string, stepId: string | null): void {
    const bytes = typeof output === 'string' ? Buffer.from(output) : this.#wholeCharacters(stream, output, stepId);
    if (bytes.length === 0) return;
    const stored = bytes.subarray(Math.max(0, bytes.length - this.#bytesMax + itemBytes));
    this.#droppedBytes += bytes.length - stored.length;
    this.#store(stream, copyOf(stored), stepId);
  }

  pushComm(message: CommMessage, stepId: string | null): void {
    const bytes = Buffer.from(JSON.stringify(message));
    if (bytes.length + itemBytes > this.#bytesMax) this.#droppedBytes += bytes.length;
    else this.#store('comm', bytes, stepId);
  }

  /** The output after the item numbered `after`; 0 is the beginning. */
  page(after: number): BackgroundPage {
    const items = this.#items.filter(({ seq }) => seq > after);
    return { items: items.map(decode), droppedBytes: this.#droppedBytes };
  }

  #store(stream: Item['stream'], bytes: Buffer, stepId: string | null): void {
    this.#storedBytes += bytes.length + itemBytes;
    this.#items.push({ seq: ++this.#seq, at: Date.now(), stepId, stream, bytes });
    this.#makeRoom();
  }

  #makeRoom(): void {
    let gone = 0;
    for (const { bytes } of this.#items) {
      if (this.#storedBytes <= this.#bytesMax) break;
      this.#storedBytes -= bytes.length + itemBytes;
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

function decode({ at, bytes, ...item }: Item): BackgroundItem {
  const time = new Date(at).toISOString();
  const text = bytes.toString();
  return item.stream === 'comm' ? { ...item, time, text: '', comm: JSON.parse(text) } : { ...item, time, text };
}

/** A copy, since a slice would keep the larger buffer alive. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
