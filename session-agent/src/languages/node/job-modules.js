// Lets a job's program, which lies outside the workspace, import modules as if it lay in it. Both paths come in the query of this module's URL.

import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { searchParams } = new URL(import.meta.url);
const program = pathToFileURL(searchParams.get('program')).href;
const inWorkspace = pathToFileURL(join(searchParams.get('workspace'), 'main.js')).href;
const { resolve: resolveInWorkspace } = createRequire(inWorkspace);
const isPath = (name) => name.startsWith('/') || name.startsWith('file:');

registerHooks({
  resolve(name, context, next) {
    if (context.parentURL !== program || isPath(name)) return next(name, context);
    if (!context.conditions.includes('require')) return next(name, { ...context, parentURL: inWorkspace });
    const found = resolveInWorkspace(name);
    return isPath(found) ? { url: pathToFileURL(found).href, shortCircuit: true } : next(name, context);
  },
});
