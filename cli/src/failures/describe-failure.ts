import { HoldfastError } from '@holdfast/sdk';
import { CommanderError } from 'commander';
import { Failure } from './failure.ts';

/** The line for a person, without a line if one has been told, and the exit code. */
export function describeFailure(error: unknown): { line?: string; exitCode: number } {
  // Its text is on stderr already, and help that was asked for is a success.
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : 2 };
  if (error instanceof Failure) return { line: error.message, exitCode: error.exitCode };
  if (error instanceof HoldfastError) return { line: lineOf(error), exitCode: 1 };
  if (error instanceof Error && 'code' in error) return { line: plain(error), exitCode: 1 };
  return { line: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 };
}

/** A fault of a file as other commands tell it. */
const plain = ({ message }: Error) => message.replace(/^E[A-Z0-9]+: (.*), \w+ '(.*)'$/, '$2: $1');

/** The problem with its code, every fault of the request, and advice if there is some. */
function lineOf({ message, code, errors = [], endReason, endedAt }: HoldfastError): string {
  const others = errors.filter(({ detail }) => !message.includes(detail));
  const faults = others.map(({ pointer, detail }) => `; ${pointer}: ${detail}`).join('');
  const end = endReason && !message.includes(endReason) ? `; ${endReason}${endedAt ? ` at ${endedAt}` : ''}` : '';
  const hint = advice[code] ? `. ${advice[code]}` : '';
  return `${message}${faults}${end} (${code})${hint}`;
}

const advice: Partial<Record<HoldfastError['code'], string>> = {
  'connection-failed': '`holdfast up` starts a server; --url or HOLDFAST_URL names another one',
  'unexpected-answer': 'Is this the address of a Holdfast server? `holdfast doctor` looks',
  unauthenticated: 'Set HOLDFAST_API_KEY, or store a key with `holdfast servers add`',
  forbidden: '`holdfast doctor` shows the rights of your key',
};
