/** Code in the sandbox asks for a language model, and this program answers: the key of the model never enters the sandbox. */
import { Holdfast, OperationError } from '@holdfast/sdk';

/** In the place of a call of your model. */
async function complete(prompt: string): Promise<{ text: string; tokens: number }> {
  const city = /capital of (\w+)/.exec(prompt)?.[1] === 'Norway' ? 'Oslo' : 'unknown';
  return { text: city, tokens: prompt.length };
}

await using session = await new Holdfast().sessions.create({ budget: { tokens: 60 } });
using _answers = session.onOperation('llm.complete', async ([prompt], call) => {
  if (typeof prompt !== 'string') throw new OperationError('the prompt must be a text');
  const { text, tokens } = await complete(prompt);
  call.reportUsage({ tokens });
  return text;
});

const code = `
answers = {land: holdfast.call('llm.complete', f'The capital of {land}?') for land in ('Norway', 'Atlantis')}
answers
`;
console.log((await session.run(code)).text);
console.log((await session.refresh()).record.budget);
