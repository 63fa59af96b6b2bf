import { bashCommands } from './behaviours/bash-commands.ts';
import { bashExit } from './behaviours/bash-exit.ts';
import { bashHostile } from './behaviours/bash-hostile.ts';
import { bashState } from './behaviours/bash-state.ts';
import { runBehaviours } from './behaviours/run-behaviours.ts';

runBehaviours('bash', 'state', bashState);
runBehaviours('bash', 'commands', bashCommands);
runBehaviours('bash', 'exit', bashExit);
runBehaviours('bash', 'hostile code', bashHostile);
