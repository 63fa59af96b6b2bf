import { bashCommands } from './conformance/bash-commands.ts';
import { bashHostile } from './conformance/bash-hostile.ts';
import { bashState } from './conformance/bash-state.ts';
import { runBehaviours } from './conformance/run-behaviours.ts';

runBehaviours('bash', 'what stays', bashState);
runBehaviours('bash', 'commands', bashCommands);
runBehaviours('bash', 'hostile code', bashHostile);
