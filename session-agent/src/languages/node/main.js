import { importInOwnRealm } from './own-realm.js';
import { provideStepGlobals } from './visible/provide-step-globals.js';

// The Node kernel. It lives in a realm of its own, which takes Node as it is before the user's realm is made ready for steps.
const { startKernel } = await importInOwnRealm(new URL('./kernel.js', import.meta.url));
startKernel(provideStepGlobals());
