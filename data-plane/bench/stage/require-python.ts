import { findPython } from '../../src/runtimes/process/find-python.ts';

/** The path of the Python that Holdfast itself would choose. @throws Error with a text for the person who runs the bench */
export async function requirePython(): Promise<string> {
  const { PATH: path = '/usr/bin:/bin', HOME: home = '/', HOLDFAST_PYTHON: wanted = null } = process.env;
  const found = await findPython({ wanted, path, home });
  if (found.python === null) throw new Error(`the bench needs a Python: ${found.fault}. HOLDFAST_PYTHON may name one.`);
  return found.python;
}
