import { describe } from 'vitest';
import { rubyLanguage } from './conformance/ruby-language.ts';
import { runBehaviours } from './conformance/run-behaviours.ts';
import { missing } from './kernel-languages.ts';

const reason = missing('ruby');
describe.skipIf(reason)(`Ruby${reason ? `: ${reason}` : ''}`, () => runBehaviours('ruby', 'language', rubyLanguage));
