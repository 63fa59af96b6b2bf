import type { Done } from '@holdfast/specs/agent';

/**
 * Most steps have payloads in exactly these forms. A text that matches one satisfies its schema and holds nothing else, so it needs neither
 * the schema nor to be encoded anew. Any other text is read by its schema.
 */
const count = '([1-9]\\d{0,8})';
const startedForm = new RegExp(`^\\{"contextEpoch":${count},"executionCount":${count}\\}$`);
const doneForm = new RegExp(
  `^\\{"contextEpoch":${count},"executionCount":${count},"durationMs":((?:0|[1-9]\\d{0,8})(?:\\.\\d{1,3})?),"status":"(succeeded|failed)","stateSurvived":(true|false),"cause":null(?:,"usage":\\{"cpuSeconds":((?:0|[1-9]\\d{0,8})(?:\\.\\d{1,6})?),"memoryBytesMax":(0|[1-9]\\d{0,14})\\})?\\}$`,
);
/** A short text of printable ASCII without escapes. */
const resultForm = /^\{"data":\{"text\/plain":"[ !#-[\]-~]{0,1000}"\},"metadata":\{\},"isMain":(?:true|false)\}$/;

const bytesMax = 1100;

/** That of `jsonWeight` for such a result: four keys, three objects, two commas. */
export const plainResultWeight = 88;

/** The content of a `started` frame, or null if its text has another form. Pure. */
export function plainStarted(payload: Buffer): { contextEpoch: number; executionCount: number } | null {
  const found = match(startedForm, payload);
  return found && { contextEpoch: Number(found[1]), executionCount: Number(found[2]) };
}

/** The same for a `done` frame of a step that nothing stopped. Pure. */
export function plainDone(payload: Buffer): Done | null {
  const found = match(doneForm, payload);
  if (!found) return null;
  const done: Done = {
    status: found[4] as 'succeeded' | 'failed',
    contextEpoch: Number(found[1]),
    executionCount: Number(found[2]),
    durationMs: Number(found[3]),
    stateSurvived: found[5] === 'true',
    cause: null,
  };
  if (found[6]) done.usage = { cpuSeconds: Number(found[6]), memoryBytesMax: Number(found[7]) };
  return done;
}

/** Whether a `result` frame holds a short plain text and nothing else. Pure. */
export const isPlainResult = (payload: Buffer): boolean => match(resultForm, payload) !== null;

const match = (form: RegExp, payload: Buffer): RegExpExecArray | null =>
  payload.length <= bytesMax ? form.exec(payload.toString('latin1')) : null;
