import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { SeenEvent } from '../support/step-events.ts';

type Format = 'png' | 'retina' | 'svg';
type Comparison = { equal: boolean; size: number[] | number; expected: number[] | number; lines: number };

export type Figures = {
  /** Fails unless the picture is the one that matplotlib makes of the code by itself, and has `lines` lines. */
  expect(event: SeenEvent | undefined, wanted: { code: string; format?: Format; lines?: number }): Promise<void>;
  end(): void;
};

/** Starts a process in which matplotlib draws the expected figures, outside of any kernel. */
export function startFigures(python: string): Figures {
  const program = join(import.meta.dirname, 'compare-figures.py');
  const child = spawn(python, [program], { env: { PATH: process.env.PATH }, stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async expect(event, { code, format = 'png', lines }) {
      child.stdin.write(`${JSON.stringify({ code, format, image: imageOf(event, format) })}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error('the comparison has failed');
      const compared: Comparison = JSON.parse(value);
      const { expected } = compared;
      expect(compared).toEqual({ equal: true, size: expected, expected, lines: lines ?? compared.lines });
    },
    end: () => void child.kill(),
  };
}

function imageOf(event: SeenEvent | undefined, format: Format): string {
  if (event?.type !== 'result') throw new Error(`a picture is missing: ${JSON.stringify(event)}`);
  const mime = format === 'svg' ? 'image/svg+xml' : 'image/png';
  const image = event.data[mime];
  if (typeof image !== 'string') throw new Error(`no ${mime} among ${Object.keys(event.data)}`);
  return image;
}

/** The order of events: text as it is, results by their MIME types other than plain text. */
export const outline = (events: readonly SeenEvent[]): string[] =>
  events.map((event) => {
    if (event.type === 'error') return `error: ${event.message}`;
    if (event.type === 'comm') return `comm ${event.kind}`;
    if (event.type === 'output_cleared') return `clear, wait: ${event.wait}`;
    if (event.type !== 'result' && event.type !== 'result_update') return event.text;
    const rich = Object.keys(event.data).filter((mime) => mime !== 'text/plain');
    return rich.length > 0 ? rich.sort().join(' ') : String(event.data['text/plain']);
  });
