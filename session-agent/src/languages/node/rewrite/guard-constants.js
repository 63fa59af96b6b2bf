import { constantHelper } from '../globals/constants.js';
import { liveHelper } from '../globals/imports.js';

/**
 * Rewrites references to names that code may not assign to. A constant is a `let` of the script, so that a later step can declare the
 * name anew; its assignments therefore go to a property that throws. A live import is a property, which throws as well.
 */
export function guardConstants(edits, references, { isConstant, isLive }) {
  for (const { node, name, isWritten, isShorthand, isCalled } of references) {
    const key = isShorthand ? `${name}: ` : '';
    if (isLive(name)) edits.replace(node, isCalled ? `(0, ${liveHelper}.${name})` : `${key}${liveHelper}.${name}`);
    else if (isWritten && isConstant(name)) edits.replace(node, `${key}${constantHelper}(() => ${name}).value`);
  }
}
