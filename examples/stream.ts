/** Shows the output of code while it runs, and stops it when enough has come. */
import { Holdfast } from '@holdfast/sdk';

const code = `
import time
for n in range(1, 1000):
    print(n, n * n, flush=True)
    time.sleep(0.05)
`;

const session = await new Holdfast().sessions.create();
let lines = 0;
for await (const event of session.stream(code)) {
  if (event.type === 'stdout') {
    process.stdout.write(event.text);
    lines += event.text.split('\n').length - 1;
    if (lines >= 5) await session.steps.interrupt(event.stepId);
  }
  if (event.type === 'finished') console.log(event.step.status);
}
await session.complete();
