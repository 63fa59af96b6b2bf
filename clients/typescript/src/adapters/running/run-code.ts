import type { CallOptions } from '../../http/create-api.ts';
import type { FinishedStep, RunOptions } from '../../sessions/run-step.ts';
import type { Session } from '../../sessions/session.ts';
import { shortened } from './shortened.ts';

export type RunCodeOptions = Pick<RunOptions, 'language' | 'contextId' | 'timeoutSeconds' | 'actorName'> & {
  /** The text that a model gets of one call; the middle of a longer one is left out. Default: 30,000. */
  charactersMax?: number | undefined;
};

/** A step as a model reads it. */
export type CodeOutcome = {
  status: FinishedStep['status'];
  /** The output, the results as text, and the error with its traceback. */
  text: string;
  images: CodeImage[];
};

/** A figure of the code. */
export type CodeImage = { mediaType: string; base64: string };

/** Runs code of a model in an interpreter of the session. An abort interrupts it. */
export async function runCode(
  session: Session,
  code: string,
  { charactersMax = 30_000, signal, ...options }: RunCodeOptions & CallOptions,
): Promise<CodeOutcome> {
  const defined = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  let stepId: string | undefined;
  try {
    for await (const event of session.stream(code, { ...defined, onDisconnect: 'interrupt', signal })) {
      stepId = event.stepId;
      if (event.type === 'finished') return outcomeOf(event.step, charactersMax);
    }
  } catch (error) {
    // The server interrupts the code when it sees the connection closed, but not if there was none at that moment.
    if (signal?.aborted && stepId)
      await session.steps.interrupt(stepId, { signal: AbortSignal.timeout(10_000) }).catch(() => {});
    throw error;
  }
  throw new Error('The events of the step ended before it.');
}

export function outcomeOf(step: Omit<FinishedStep, 'text'>, charactersMax: number): CodeOutcome {
  const images: CodeImage[] = [];
  let imageCharacters = 0;
  let imagesLeftOut = 0;
  const texts = [step.stdout, step.stderr];
  for (const { data } of step.results) {
    const image = imageTypes.find((type) => typeof data[type] === 'string');
    if (image) {
      const base64 = data[image] as string;
      const fits = images.length < imagesMax && imageCharacters + base64.length <= imageCharactersMax;
      if (fits) {
        images.push({ mediaType: image, base64 });
        imageCharacters += base64.length;
      } else imagesLeftOut += 1;
    } else if (typeof data['text/plain'] === 'string') texts.push(data['text/plain']);
  }
  if (step.error) {
    const { name, message, traceback } = step.error;
    texts.push(traceback.length > 0 ? traceback.join('\n') : `${name}: ${message}`);
  }
  const stopped = stops[step.status];
  if (stopped) texts.push(`[the code was stopped: ${stopped}]`);
  if (imagesLeftOut > 0) texts.push(`[images left out: ${imagesLeftOut}]`);
  if (step.truncated) texts.push('[a part of the output is left out]');
  const text = texts.filter((part) => part !== '').map((part) => part.replace(/\n$/, ''));
  return { status: step.status, text: shortened(text.join('\n'), charactersMax), images };
}

const stops: { [status in FinishedStep['status']]?: string } = {
  timed_out: 'its time was over',
  interrupted: 'it was interrupted',
  lost: 'its sandbox was lost',
};

/** The answer of code without text, in the words that a model reads. */
export const withoutText = (images: readonly CodeImage[]): string =>
  images.length > 0 ? 'The code has run, and shows:' : 'The code has run without output.';

/** The images that a model gets of one call: so many, and together 10 MiB as base64. */
const imagesMax = 16;
const imageCharactersMax = 10 * 1024 * 1024;

/** Models take no SVG. */
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Tells a model how to use the tool. */
export const runCodeDescription =
  'Runs code in an interpreter that stays: variables, imports and files of earlier calls are there. The answer has the ' +
  'output, the value of the last expression, figures as images, and an error with its traceback. Code cannot ask for input.';
