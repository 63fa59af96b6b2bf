import { SourceMap } from 'node:module';
import { linesOf } from '../show/describe-error.js';

const charactersMax = 1024 * 1024;

/** Holds the last steps' sources, about a MiB, and the source maps of rewritten ones, for the positions in errors. */
export function createStepSources() {
  const steps = new Map();
  let characters = 0;
  const store = {
    add({ filename, code }) {
      steps.set(filename, { code, maps: [] });
      characters += code.length;
      for (const [oldest, step] of steps) {
        if (characters <= charactersMax || steps.size === 1) break;
        steps.delete(oldest);
        characters -= step.code.length;
      }
    },
    /** Adds the functions that make a step's source maps, from the evaluated code back to the written one. Those that are null move nothing. */
    addMaps(filename, makers) {
      const step = steps.get(filename);
      if (step) step.maps = makers.filter((make) => make !== null).map(madeOnce);
    },
    /** Returns a line by its number, counted from 1. */
    line: (filename, number) => linesOf(steps.get(filename)?.code ?? '')[number - 1],
    /** Returns the text before `text` in the last step that contains it, with the step's filename, or null if none does. */
    before(text) {
      for (const [filename, { code }] of [...steps].reverse()) {
        const at = code.indexOf(text);
        if (at !== -1) return { filename, before: code.slice(0, at) };
      }
      return null;
    },
    /** Returns the text of a stack's frame with its position in the source as it was written. */
    frameAsWritten(text, filename, line, column) {
      const written = store.place(filename, line, column);
      return text.replace(`${filename}:${line}:${column}`, `${filename}:${written.line}:${written.column}`);
    },
    /** Returns the position in the source as it was written, with lines and columns from 1. */
    place(filename, line, column) {
      let at = { line, column };
      for (const map of steps.get(filename)?.maps ?? []) {
        const entry = map().findEntry(at.line - 1, at.column - 1);
        if (entry?.originalLine === undefined) return at;
        at = { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
      }
      return at;
    },
  };
  return store;
}

function madeOnce(make) {
  let map;
  return () => {
    map ??= new SourceMap(make());
    return map;
  };
}
