import { asynchronous } from './behaviours/python-async.ts';
import { commands } from './behaviours/python-commands.ts';
import { definitions } from './behaviours/python-definitions.ts';
import { errors } from './behaviours/python-errors.ts';
import { hostile } from './behaviours/python-hostile.ts';
import { input } from './behaviours/python-input.ts';
import { output } from './behaviours/python-output.ts';
import { values } from './behaviours/python-values.ts';
import { runBehaviours } from './behaviours/run-behaviours.ts';

runBehaviours('python', 'values', values);
runBehaviours('python', 'await', asynchronous);
runBehaviours('python', 'errors', errors);
runBehaviours('python', 'definitions', definitions);
runBehaviours('python', 'output', output);
runBehaviours('python', 'input', input);
runBehaviours('python', 'commands', commands);
runBehaviours('python', 'hostile code', hostile);
