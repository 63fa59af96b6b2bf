import { loadEdits } from '../rewrite/edits.js';
import { loadParser } from './parse.js';

/** Loads the libraries that read and rewrite steps. Loading uses Node's modules, so it has to end before a step can change the intrinsics. */
export async function loadLibraries() {
  await Promise.all([loadParser(), loadEdits()]);
}
