import type { Result } from '@holdfast/specs/public';
import type { Seen } from '../support/open-kernel.ts';

type Bundle = { text: string | null; types: string[] };

/** The answer to a cell. Empty parts are absent. */
export type Answer = {
  status: string;
  stdout?: string;
  stderr?: string;
  shown?: Bundle;
  displayed?: Bundle[];
  error?: { name: string; message: string };
};

/** Turns an answer of Holdfast's kernel into the form of the recordings. */
export function answer({ end, stdout, stderr, results, error }: Seen): Answer {
  const shown = results.find(({ isMain }) => isMain);
  const displayed = results.filter(({ isMain }) => !isMain);
  return {
    status: end.status,
    ...(stdout && { stdout: neutral(stdout) }),
    ...(stderr && { stderr: neutral(stderr) }),
    ...(shown && { shown: bundle(shown) }),
    ...(displayed.length > 0 && { displayed: displayed.map(bundle) }),
    ...(error && { error: { name: error.name, message: neutral(error.message) } }),
  };
}

function bundle({ data }: Result): Bundle {
  const text = data['text/plain'];
  return { text: typeof text === 'string' ? neutral(text) : null, types: Object.keys(data).sort() };
}

/** Removes the differences between any two kernels: addresses, names of cells, and an empty line after help in some 3.11. */
function neutral(text: string): string {
  return text
    .replace(/0x[0-9a-f]{6,}/gi, '0x…')
    .replace(/<step \d+>/g, '<cell>')
    .replace('for help on the str class.\n\n', 'for help on the str class.\n');
}
