import { neutralData, neutralText } from './neutral.ts';

/** One output of a cell. */
export type Output =
  | { stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'shown' | 'displayed' | 'updated'; data: Record<string, unknown> }
  | { kind: 'error'; name: string; message: string }
  | { kind: 'asked'; prompt: string };

/** The answer to a cell: its outputs in the order in which the kernel sent them. */
export type Answer = { succeeded: boolean; outputs: Output[] };

/** One entry: the text of the streams up to the next bundle, a bundle, the prompts, or an error. */
export type Shown = Record<string, unknown>;

/**
 * Lists what a front end shows of a cell, without what differs between any two runs in different folders.
 *
 * Text and bundles are in their order. Not in it are: stdout against stderr, since a stock kernel sends each at times of its own; prompts,
 * which come to a front end on a channel of their own; and errors, which come last here and before the figures left open there.
 */
export function shownOutputs({ succeeded, outputs }: Answer, folder: string): Shown[] {
  const shown: Shown[] = [];
  let text: Partial<Record<'stdout' | 'stderr', string>> = {};
  const endText = () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (text[stream]) shown.push({ [stream]: neutralText(text[stream], folder) });
    }
    text = {};
  };
  for (const output of errorsLast(succeeded, joined(outputs))) {
    // Prompts are moved, so two pieces of a stream may follow each other.
    if ('stream' in output) text[output.stream] = (text[output.stream] ?? '') + output.text;
    else {
      endText();
      shown.push(entry(output, folder));
    }
  }
  endText();
  return shown;
}

/** Joins the pieces of a stream between two other outputs. */
function joined(outputs: Output[]): Output[] {
  const whole: Output[] = [];
  let from = 0;
  for (const output of outputs) {
    const before =
      'stream' in output && whole.slice(from).find((one) => 'stream' in one && one.stream === output.stream);
    if (before && 'text' in before) before.text += output.text;
    else whole.push({ ...output });
    if (!('stream' in output)) from = whole.length;
  }
  return whole;
}

/** IPython writes an error in the use of a magic to stderr, and the cell fails. Here it is the error of the step. */
const usageError = /^(\w*UsageError): (.*)\n$/s;

function errorsLast(succeeded: boolean, outputs: Output[]): Output[] {
  const isError = (output: Output) => 'kind' in output && output.kind === 'error';
  const others = outputs.filter((output) => !isError(output));
  const errors = outputs.filter(isError);
  const last = others.findLast((output) => 'stream' in output && output.stream === 'stderr');
  const usage = succeeded || errors.length > 0 || !last || !('text' in last) ? null : usageError.exec(last.text);
  if (!usage) return [...promptsLast(others), ...errors];
  const [, name = '', message = ''] = usage;
  return [...promptsLast(others.filter((output) => output !== last)), { kind: 'error', name, message }];
}

function promptsLast(outputs: Output[]): Output[] {
  const isPrompt = (output: Output) => 'kind' in output && output.kind === 'asked';
  return [...outputs.filter((output) => !isPrompt(output)), ...outputs.filter(isPrompt)];
}

function entry(output: Exclude<Output, { stream: string }>, folder: string): Shown {
  if ('data' in output) return { [output.kind]: neutralData(output.data, folder) };
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, neutralText(value, folder)]));
}
