import { declarations } from './conformance/node-declarations.ts';
import { errors } from './conformance/node-errors.ts';
import { hostile } from './conformance/node-hostile.ts';
import { modules } from './conformance/node-modules.ts';
import { output } from './conformance/node-output.ts';
import { surroundings } from './conformance/node-surroundings.ts';
import { typescript } from './conformance/node-typescript.ts';
import { values } from './conformance/node-values.ts';
import { runBehaviours } from './conformance/run-behaviours.ts';

runBehaviours('node', 'declarations', declarations);
runBehaviours('node', 'values', values);
runBehaviours('node', 'errors', errors);
runBehaviours('node', 'modules', modules);
runBehaviours('node', 'TypeScript', typescript);
runBehaviours('node', 'output', output);
runBehaviours('node', 'surroundings', surroundings);
runBehaviours('node', 'hostile', hostile);
