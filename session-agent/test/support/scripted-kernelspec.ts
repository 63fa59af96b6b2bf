import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const program = join(import.meta.dirname, 'fixtures/jupyter-kernel.ts');

/** Installs `fixtures/jupyter-kernel.ts` as the Jupyter kernel `scripted`, until the test's scope ends. */
export function installScriptedKernel({
  separator = '-',
  ...fields
}: {
  separator?: string;
  [field: string]: unknown;
} = {}) {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  mkdirSync(join(folder, 'kernels/scripted'), { recursive: true });
  const argv = [process.execPath, '--disable-warning=ExperimentalWarning', program, '{connection_file}', separator];
  writeFileSync(join(folder, 'kernels/scripted/kernel.json'), JSON.stringify({ argv, language: 'Script', ...fields }));
  return { jupyterPath: [folder], [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
