import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { artifactUri, outputUri } from '../call/resource-uri.ts';
import type { EndedStep } from './follow-to-end.ts';
import type { Output } from './gather-output.ts';
import { clip } from './head-and-tail.ts';
import { imagesOf, textOf } from './shown-results.ts';

/** The structured result of a tool that runs code. */
export const stepResultSchema = z.object({
  status: z.string().describe('succeeded, failed, timed_out, interrupted, lost or rejected'),
  stdout: z.string().describe('Long output has only its beginning and its end'),
  stderr: z.string(),
  result: z.string().nullable().describe('The displayed objects, and the value of its last expression'),
  error: z.object({ name: z.string(), message: z.string() }).nullable(),
  exitCode: z.number().int().nullable(),
  truncated: z.boolean().describe('Whether a part of the output is left out here'),
  notes: z.array(z.string()),
  files: z
    .array(z.object({ path: z.string(), change: z.string(), uri: z.string().nullable() }))
    .describe('Files that the code created, modified or deleted'),
  durationMs: z.number().nullable(),
  sessionId: z.string(),
  stepId: z.string(),
  context: z.string(),
});
type StepResult = z.infer<typeof stepResultSchema>;

/** Errors that say no more than the exit code. */
const exits: ReadonlySet<string> = new Set(['ExitStatus', 'exit']);

/** The bytes of the traceback, and of all results as text, at the beginning, and as many at the end. */
const errorSideBytesMax = 4 * 1024;
const resultSideBytesMax = 16 * 1024;
const filesMax = 50;

/**
 * The result of a tool for a step that has ended, as text for a model, with images and links, and in structured form. Code that failed is a
 * result like any other: `isError` says that the tool could not do what it is for, and its output schema would not hold. Only a step that
 * was refused, of which nothing ran, is such an error. Pure.
 */
export function stepResult(step: EndedStep, output: Output, notes: string[]): CallToolResult {
  const { images, omitted } = imagesOf(output.results);
  const shown = clip(textOf(output.results), resultSideBytesMax);
  const raised = step.error && exits.has(step.error.name) ? null : step.error;
  const error = raised && clip(errorText(raised), errorSideBytesMax).text;
  const changed = step.artifacts.slice(0, filesMax);
  const structured: StepResult = {
    status: step.status,
    stdout: output.stdout.text,
    stderr: output.stderr.text,
    result: shown.text || null,
    error: raised && { name: raised.name, message: clip(raised.message, errorSideBytesMax).text },
    exitCode: step.exitCode ?? null,
    truncated:
      step.truncated || shown.omittedBytes + output.stdout.omittedBytes + output.stderr.omittedBytes + omitted > 0,
    notes: [...notesOf(step, output, omitted), ...notes],
    files: changed.map(({ id, path, change, url }) => ({
      path,
      change,
      uri: url === null ? null : artifactUri({ sessionId: step.sessionId, artifactId: id }),
    })),
    durationMs: step.durationMs,
    sessionId: step.sessionId,
    stepId: step.id,
    context: step.contextId ?? step.language,
  };
  return {
    content: [
      { type: 'text', text: asText(structured, error) },
      ...images.map(({ data, mimeType }) => ({ type: 'image' as const, data, mimeType })),
      ...fileLinks(step),
      ...outputLinks(step, output),
    ],
    structuredContent: structured,
    ...(step.status === 'rejected' && { isError: true }),
  };
}

function asText({ status, stdout, stderr, result, exitCode, notes }: StepResult, error: string | null): string {
  const isPlain = status === 'succeeded' && (exitCode ?? 0) === 0;
  const parts = [
    stdout,
    stderr && `[stderr]\n${stderr}`,
    result && (stdout || stderr ? `[result]\n${result}` : result),
    error && `[error]\n${error}`,
    ...notes.map((note) => `[note] ${note}`),
    isPlain ? '' : `[status] ${status}${exitCode === null ? '' : `, exit code ${exitCode}`}`,
  ];
  return parts.filter(Boolean).join('\n') || '(no output)';
}

const errorText = ({ name, message, traceback }: NonNullable<EndedStep['error']>): string =>
  traceback.length > 0 ? traceback.join('\n') : `${name}: ${message}`;

/** Remarks that a model needs beside the output. */
function notesOf(step: EndedStep, { reset, resultsOmitted }: Output, imagesOmitted: number): string[] {
  const { outcome, status, cause, proposals, artifacts } = step;
  const hasLostState = outcome?.tag === 'error' && outcome.stateSurvived === false && status !== 'rejected';
  return [
    reset && 'The memory of this context was reset before the code ran: variables of earlier code may be missing.',
    hasLostState && 'The interpreter was restarted: variables of earlier code are gone. Files are still there.',
    asksForInput(step) && 'Code cannot ask for input here: put what it would ask for into the code, or into a file.',
    cause && `Cause: ${cause.code}${cause.message ? `: ${clip(cause.message, 500).text}` : ''}`,
    outcome?.tag === 'error' && refusals[outcome.kind],
    outcome && 'refusedChanges' in outcome && outcome.refusedChanges && refusedChanges(outcome.refusedChanges),
    proposals.length > 0 && `${proposals.length} proposed change(s) of files wait for the approval of a person.`,
    resultsOmitted + imagesOmitted > 0 && `${resultsOmitted + imagesOmitted} result(s) are too large to show.`,
    artifacts.length > filesMax && `${artifacts.length - filesMax} more changed files are not listed.`,
  ].filter((note): note is string => typeof note === 'string');
}

/** Whether the error is the one with which a kernel refuses a question. Its words are for clients that can answer some. */
const asksForInput = ({ error }: EndedStep): boolean => error?.message.includes('`stdin: true`') === true;

const refusals: Partial<Record<string, string>> = {
  'policy-violation':
    "The session's policy forbids this. Trying again will not help: do it another way, or ask the person.",
  budget: 'The budget of the session is used up. Ask the person for more.',
};

const refusedChanges = ({ count, rules }: { count: number; rules: string[] }): string =>
  `${count} change(s) of files were undone, because the policy forbids them (${rules.join(', ')}).`;

const fileLinks = ({ sessionId, artifacts }: EndedStep): CallToolResult['content'] =>
  artifacts
    .filter(({ url }) => url !== null)
    .slice(0, filesMax)
    .map(({ id, path, mimeType, size }) => ({
      type: 'resource_link',
      uri: artifactUri({ sessionId, artifactId: id }),
      name: path,
      ...(mimeType && { mimeType }),
      ...(size !== null && { size }),
    }));

/** Links to the whole of what is shown in part. */
const outputLinks = ({ sessionId, id: stepId }: EndedStep, output: Output): CallToolResult['content'] =>
  (['stdout', 'stderr'] as const)
    .filter((stream) => output[stream].omittedBytes > 0)
    .map((stream) => ({
      type: 'resource_link',
      uri: outputUri({ sessionId, stepId, stream }),
      name: stream,
      description: `The whole ${stream} of this step`,
      mimeType: 'text/plain',
    }));
