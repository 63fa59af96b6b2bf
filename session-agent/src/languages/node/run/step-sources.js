import { SourceMap } from 'node:module';

const charactersMax = 1024 * 1024;

/** Holds the last steps' sources, about a MiB, and the source maps of transformed ones, for the positions in errors. */
export function createStepSources() {
  const steps = new Map();
  let characters = 0;
  return {
    add({ filename, code }) {
      steps.set(filename, { code });
      characters += code.length;
      for (const [oldest, step] of steps) {
        if (characters <= charactersMax || steps.size === 1) break;
        steps.delete(oldest);
        characters -= step.code.length;
      }
    },
    addMap(filename, map) {
      const step = steps.get(filename);
      if (step) step.map = new SourceMap(map);
    },
    /** Returns a line by its number, counted from 1. */
    line: (filename, number) => steps.get(filename)?.code.split('\n')[number - 1],
    /** Returns the text before `text` in the last step that contains it, with the step's filename, or null if none does. */
    before(text) {
      for (const [filename, { code }] of [...steps].reverse()) {
        const at = code.indexOf(text);
        if (at !== -1) return { filename, before: code.slice(0, at) };
      }
      return null;
    },
    /** Returns the position in the source as it was written, with lines and columns from 1. */
    place(filename, line, column) {
      const entry = steps.get(filename)?.map?.findEntry(line - 1, column - 1);
      if (entry?.originalLine === undefined) return { line, column };
      return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
    },
  };
}
