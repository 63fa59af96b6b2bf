import { asynchronous } from './conformance/python-async.ts';
import { commands } from './conformance/python-commands.ts';
import { definitions } from './conformance/python-definitions.ts';
import { errors } from './conformance/python-errors.ts';
import { hostile } from './conformance/python-hostile.ts';
import { input } from './conformance/python-input.ts';
import { output } from './conformance/python-output.ts';
import { values } from './conformance/python-values.ts';
import { runBehaviours } from './conformance/run-behaviours.ts';

runBehaviours('python', 'values', values);
runBehaviours('python', 'await', asynchronous);
runBehaviours('python', 'errors', errors);
runBehaviours('python', 'definitions', definitions);
runBehaviours('python', 'output', output);
runBehaviours('python', 'input', input);
runBehaviours('python', 'commands', commands);
runBehaviours('python', 'hostile code', hostile);
