import type { Result } from '@holdfast/specs/public';
import type { Seen } from '../support/open-kernel.ts';

type Bundle = { text: string | null; types: string[] };

/** What a cell brought forth; parts that are empty are absent. */
export type Answer = {
  status: string;
  stdout?: string;
  stderr?: string;
  shown?: Bundle;
  displayed?: Bundle[];
  error?: { name: string; message: string };
};

/** What Holdfast's kernel answered, in the form of the recordings. */
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

/** Text without what no two kernels have in common: addresses and the names of cells. */
function neutral(text: string): string {
  return text.replace(/0x[0-9a-f]{6,}/gi, '0x…').replace(/<step \d+>/g, '<cell>');
}
