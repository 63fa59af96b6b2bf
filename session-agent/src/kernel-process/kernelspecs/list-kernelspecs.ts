import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isBuiltIn, languageSchema } from '@holdfast/specs/public';
import { type Kernelspec, readKernelspec } from './read-kernelspec.ts';
import { type KernelspecSettings, kernelspecFolders } from './search-path.ts';

/**
 * The installed Jupyter kernels by the names of the languages for which they can be asked. That is the kernelspec's own name and, if no
 * kernelspec before has taken it, the name of its programming language: `ir` is also `r`. The built-in languages keep their names.
 */
export function listKernelspecs(settings: KernelspecSettings): Map<string, Kernelspec> {
  const specs = new Map<string, Kernelspec>();
  const add = (given: string, spec: Kernelspec) => {
    const name = languageSchema.safeParse(given.toLowerCase()).data;
    if (name !== undefined && !isBuiltIn(name) && !specs.has(name)) specs.set(name, spec);
  };
  const found = kernelspecFolders(settings).flatMap((folder) =>
    namesIn(folder).map((name) => ({ name, spec: readKernelspec(join(folder, name)) })),
  );
  for (const { name, spec } of found) if (spec) add(name, spec);
  for (const { spec } of found) if (spec) add(spec.language, spec);
  return specs;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
