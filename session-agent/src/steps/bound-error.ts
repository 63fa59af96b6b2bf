import type { StepError } from '@holdfast/specs/public';

const nameLengthMax = 256;
const messageLengthMax = 64 * 1024;
const tracebackLengthMax = 200;
const tracebackEntryLengthMax = 16 * 1024;

/** Cuts each part of an error to its limit. A long traceback loses its middle: its start and the point of failure matter most. Pure. */
export function boundError(error: StepError): StepError {
  return {
    name: cut(error.name, nameLengthMax),
    message: cut(error.message, messageLengthMax),
    traceback: bothEnds(error.traceback).map((entry) => cut(entry, tracebackEntryLengthMax)),
  };
}

function bothEnds(entries: string[]): string[] {
  if (entries.length <= tracebackLengthMax) return entries;
  const half = tracebackLengthMax / 2;
  const left = `… ${entries.length - tracebackLengthMax + 1} entries …`;
  return [...entries.slice(0, half), left, ...entries.slice(entries.length - half + 1)];
}

const cut = (text: string, lengthMax: number) =>
  text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
