import { provideStepGlobals } from './globals/provide-step-globals.js';
import { importInOwnRealm } from './realm/import-in-own-realm.js';

// The Node kernel. It runs in a realm of its own, which imports Node's modules before the user's realm is made ready for steps.
const { startKernel } = await importInOwnRealm(new URL('./kernel.js', import.meta.url));
startKernel(provideStepGlobals());
