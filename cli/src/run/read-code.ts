import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../failures/failure.ts';

export type CodeSource = { file?: string | undefined; code?: string | undefined; language?: string | undefined };

/** Code, and its language if the source says so. */
export type Code = { code: string; language: string | undefined };

/**
 * The code of `-c`, of a file, or of stdin for `-`.
 * @throws Failure if there is none, or two
 */
export async function readCode({ file, code, language }: CodeSource): Promise<Code> {
  if (code !== undefined && file !== undefined) throw new Failure('give either FILE or -c CODE', { exitCode: 2 });
  if (code !== undefined) return { code, language };
  if (file === undefined) throw new Failure('give FILE, -c CODE, or - for stdin', { exitCode: 2 });
  if (file === '-') return { code: await text(process.stdin), language };
  return { code: await readFile(file, 'utf8'), language: language ?? languageOf(file) };
}

const languages: Record<string, string> = {
  '.py': 'python',
  '.js': 'node',
  '.cjs': 'node',
  '.mjs': 'node',
  '.ts': 'node',
  '.mts': 'node',
  '.sh': 'bash',
  '.bash': 'bash',
  '.rb': 'ruby',
  '.r': 'r',
  '.jl': 'julia',
};

const languageOf = (file: string): string | undefined => languages[extname(file).toLowerCase()];
