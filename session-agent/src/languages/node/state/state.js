import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { evaluateStep } from '../run/evaluate-step.js';
import { afterLastCall } from '../run/last-call.js';
import { failureParts, writeArchive } from './archive.js';
import { createBuiltins } from './builtins.js';
import { createInspected } from './inspected.js';
import { createLoadedModules } from './loaded-modules.js';
import { createNames } from './names.js';
import { createProvided } from './provided.js';
import { recover } from './recover.js';
import { createSettings } from './settings.js';
import { takeSnapshot } from './snapshot.js';
import { currentSurroundings } from './surroundings.js';

const { getActiveResourcesInfo } = process;
const filename = '[recovered]';

/** Saves and recovers the state of the context (`../../README.md`, State). */
export function createState({ evaluator, boundNames, imported, globals, sources, streams }) {
  const { scopes } = globals;
  const inspected = createInspected(evaluator.inspector);
  const modules = createLoadedModules(globals.modules);
  const builtins = createBuiltins({ inspected, modules });
  const provided = createProvided({ inspected, list: builtins.provided });
  const settings = createSettings({ inspected });
  const names = createNames({ evaluator, boundNames, imported });
  const surroundings = currentSurroundings();
  const idle = resources();
  let isWriting = false;

  /** Runs code as a step runs, without messages. */
  const run = (code, { declaresNothing = false } = {}) =>
    new Promise((resolve) => {
      const step = {
        stepId: 'recovery',
        number: 0,
        filename,
        code,
        declaresNothing,
        scope: scopes.open({ stepId: 'recovery', isSilent: true }),
      };
      const concluded = (outcome) => {
        if (!('value' in outcome)) boundNames.forget(evaluator.initialize(code));
        scopes.close(step.scope);
        resolve({ status: 'value' in outcome ? 'succeeded' : 'failed' });
      };
      scopes.run(step.scope, () =>
        evaluateStep({ evaluator, sources, boundNames }, step, (outcome) => afterLastCall(step, outcome, concluded)),
      );
    });

  const partsOf = ({ isBusy }, limits) => {
    try {
      return takeSnapshot({ names, builtins, provided, settings, inspected, surroundings, isBusy }, limits);
    } catch (error) {
      return failureParts(error);
    }
  };

  return {
    /** Writes the archive to a FIFO while the context goes on. */
    snapshot({ path, bytesMax, timeoutMs, isFork }) {
      const isBusy = !isWriting && resources().some((name, _index, all) => countOf(all, name) > countOf(idle, name));
      const parts = partsOf({ isBusy }, { bytesMax, timeoutMs, isFork });
      isWriting = true;
      writeArchive(path, parts, () => {
        isWriting = false;
      });
    },
    async recover(folder) {
      streams.silence();
      try {
        return await recover({ names, builtins, modules, inspected, boundNames, run }, folder);
      } catch (error) {
        // The kernel ends then.
        writeFileSync(`${folder}/failure`, String(error?.message ?? error).slice(0, 500));
        throw error;
      } finally {
        streams.endStep();
      }
    },
  };
}

const resources = () => Array.from(getActiveResourcesInfo());
const countOf = (all, name) => all.filter((other) => other === name).length;
