import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Subject } from './run.ts';

type Cell = { cell_type: string; source?: string | string[]; input?: string | string[] };

/** Reads the code cells of a notebook of format 3 or 4. Cells without code are left out. */
export function readNotebook(id: string, file: string): Subject {
  const notebook = JSON.parse(readFileSync(file, 'utf8'));
  const cells: Cell[] = notebook.cells ?? notebook.worksheets[0].cells;
  return {
    id,
    folder: dirname(file),
    cells: cells
      .filter(({ cell_type: type }) => type === 'code')
      .map(({ source, input }) => [source ?? input ?? ''].flat().join(''))
      .filter((code) => code.trim() !== ''),
  };
}
