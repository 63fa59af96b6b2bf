import { describe } from 'vitest';
import { missing } from '../support/kernel-languages.ts';
import { rubyLanguage } from './behaviours/ruby-language.ts';
import { runBehaviours } from './behaviours/run-behaviours.ts';

const reason = missing('ruby');
describe.skipIf(reason)(`Ruby${reason ? `: ${reason}` : ''}`, () => runBehaviours('ruby', 'language', rubyLanguage));
