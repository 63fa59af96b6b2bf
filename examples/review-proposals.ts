/** Lets code change files, and takes over only the changes that a review accepts. */
import { Holdfast } from '@holdfast/sdk';

await using session = await new Holdfast().sessions.create({
  files: { 'prices.csv': 'tea,3\ncoffee,4\n', 'README.md': '# Prices\n' },
  policy: { preset: 'safe-edit' },
});

await session.run(`
text = open('prices.csv').read().replace('tea,3', 'tea,5')
_ = open('prices.csv', 'w').write(text)
_ = open('README.md', 'w').write('')
`);

/** A change that only deletes is not fine. Yours may ask a person, or another model. */
const isFine = (diff: string | null) => /^\+(?!\+\+)/m.test(diff ?? '');

for await (const { id } of session.proposals.list({ status: 'open' })) {
  const { changes } = await session.proposals.get(id);
  const accepted = changes.filter(({ diff }) => isFine(diff)).map(({ path }) => path);
  for (const { path, diff } of changes)
    console.log(`${accepted.includes(path) ? 'accepted' : 'rejected'} ${path}\n${diff}`);
  if (accepted.length > 0) await session.proposals.commit(id, { paths: accepted });
  if (accepted.length < changes.length) await session.proposals.reject(id);
}

console.log(await session.files.readText('prices.csv'), await session.files.readText('README.md'));
