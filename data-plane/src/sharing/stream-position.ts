import { Problem } from '@holdfast/specs/public';

/** The steps of a session whose events one reader gets at the same time. Those after them wait until one of these has ended. */
export const openStepsMax = 256;

/** The end of the session's id stands in its cursors, so that one of another session is noticed. */
const tagLength = 6;

const int4Max = 2 ** 31 - 1;
const seqMax = 2 ** 32 - 1;

/**
 * The place of a reader in the events of a session: it has got all events of the steps up to `stepNumber`, apart from those in `open`,
 * of which it has got the events up to a seq, and all entries up to `entryNumber`. Steps and entries become visible in the order of their
 * numbers, so nothing can appear below a number that was passed.
 */
export class StreamPosition {
  private readonly tag: string;
  stepNumber = 0;
  entryNumber = 0;
  readonly open = new Map<number, number>();

  constructor(sessionId: string) {
    this.tag = sessionId.slice(-tagLength);
  }

  /** The reader begins with a step. */
  begin(number: number): void {
    this.pass(number);
    this.open.set(number, 0);
  }

  /** There are no further steps up to this number. */
  pass(number: number): void {
    this.stepNumber = Math.max(this.stepNumber, number);
  }

  /** The reader gets the event of a step with this seq. */
  advance(number: number, seq: number): void {
    this.open.set(number, Math.max(this.open.get(number) ?? 0, seq));
  }

  /** The reader gets the last event of a step, or the step will have none. */
  end(number: number): void {
    this.open.delete(number);
  }

  /** The reader gets the entry with this number, or there is none up to it. */
  passEntry(number: number): void {
    this.entryNumber = Math.max(this.entryNumber, number);
  }

  /** The position as a text for clients. */
  get cursor(): string {
    const open = [...this.open].map(([number, seq]) => `.${number}-${seq}`);
    return Buffer.from(`${this.tag}.${this.stepNumber}.${this.entryNumber}${open.join('')}`).toString('base64url');
  }
}

const form = /^[0-9a-z]{6}\.\d{1,10}\.\d{1,16}(\.\d{1,10}-\d{1,10})*$/;

/**
 * @param pointer the part of the request that has the cursor
 * @throws Problem `invalid-request` unless it is a cursor of this session that a `StreamPosition` made
 */
export function parsePosition(sessionId: string, cursor: string, pointer = 'query/after'): StreamPosition {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [tag, stepNumber, entryNumber, ...open] = text.split('.');
  if (!form.test(text) || tag !== sessionId.slice(-tagLength)) throw invalidPosition(pointer);
  const position = new StreamPosition(sessionId);
  position.stepNumber = Number(stepNumber);
  position.entryNumber = Number(entryNumber);
  for (const step of open) {
    const [number = 0, seq = 0] = step.split('-').map(Number);
    if (number > position.stepNumber || seq > seqMax) throw invalidPosition(pointer);
    position.open.set(number, seq);
  }
  const isPossible =
    position.stepNumber <= int4Max &&
    Number.isSafeInteger(position.entryNumber) &&
    position.open.size === open.length &&
    open.length <= openStepsMax;
  if (!isPossible) throw invalidPosition(pointer);
  return position;
}

export const invalidPosition = (pointer = 'query/after') =>
  new Problem('invalid-request', {
    detail: '1 fault',
    errors: [{ pointer, detail: 'must be the cursor of an event of this session' }],
  });
