import { declarations } from './behaviours/node-declarations.ts';
import { errors } from './behaviours/node-errors.ts';
import { hostile } from './behaviours/node-hostile.ts';
import { modules } from './behaviours/node-modules.ts';
import { output } from './behaviours/node-output.ts';
import { surroundings } from './behaviours/node-surroundings.ts';
import { typescript } from './behaviours/node-typescript.ts';
import { values } from './behaviours/node-values.ts';
import { runBehaviours } from './behaviours/run-behaviours.ts';

runBehaviours('node', 'declarations', declarations);
runBehaviours('node', 'values', values);
runBehaviours('node', 'errors', errors);
runBehaviours('node', 'modules', modules);
runBehaviours('node', 'TypeScript', typescript);
runBehaviours('node', 'output', output);
runBehaviours('node', 'environment, input and exits', surroundings);
runBehaviours('node', 'hostile code', hostile);
