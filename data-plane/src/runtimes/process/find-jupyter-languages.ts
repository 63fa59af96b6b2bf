import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Language, languageSchema } from '@holdfast/specs/public';
import * as z from 'zod';

const run = promisify(execFile);

type Input = {
  node: string;
  /** Path of the session-agent's program, beside which is the one that lists the kernels. */
  agentMain: string;
  python: string | null;
  home: string;
  /** The value of JUPYTER_PATH, which agents get as well. */
  jupyterPath: string;
};

/** The languages of the Jupyter kernels on this machine. Agents find them in the same way; none if they cannot be listed. */
export async function findJupyterLanguages({ node, agentMain, python, home, jupyterPath }: Input): Promise<Language[]> {
  const settings = { python: python ?? '/usr/bin/python3', home, jupyterPath: jupyterPath.split(':').filter(Boolean) };
  const program = join(dirname(agentMain), 'list-jupyter-languages.ts');
  try {
    const { stdout } = await run(node, [program, JSON.stringify(settings)], { timeout: 10_000, killSignal: 'SIGKILL' });
    return z.array(languageSchema).parse(JSON.parse(stdout));
  } catch {
    return [];
  }
}
