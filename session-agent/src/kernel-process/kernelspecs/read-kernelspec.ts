import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const bytesMax = 1024 * 1024;

/** A kernel.json file ("Making kernels for Jupyter"). */
const kernelspecSchema = z.object({
  argv: z.array(z.string().max(4096)).min(1).max(256),
  display_name: z.string().max(256).catch(''),
  language: z.string().max(64).catch(''),
  interrupt_mode: z.enum(['signal', 'message']).catch('signal'),
  env: z.record(z.string(), z.string()).catch({}),
});

/** `folder` holds its file; `prefix` is the installation that the folder belongs to, such as /usr or a virtual environment. */
export type Kernelspec = z.infer<typeof kernelspecSchema> & { folder: string; prefix: string };

/** Reads the kernelspec in a folder. Null if there is none, or one that is not valid: Jupyter does not list it either. */
export function readKernelspec(folder: string): Kernelspec | null {
  const file = join(folder, 'kernel.json');
  try {
    if (statSync(file).size > bytesMax) return null;
    const spec = kernelspecSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    // <prefix>/share/jupyter/kernels/<name>
    return { ...spec, folder, prefix: dirname(dirname(dirname(dirname(folder)))) };
  } catch {
    return null;
  }
}
