import { join } from 'node:path';
import { Application, Converter, Logger, LogLevel } from 'typedoc';

const root = import.meta.dirname;
/** The types of the API document describe their fields, and their own names come from it. */
const generated = 'src/generated/';

/** Collects what is missing in the documentation, so that it can be told as one list. */
class Faults extends Logger {
  readonly messages: string[] = [];

  override log(message: string, level: LogLevel): void {
    const isFault = level === LogLevel.Error || (level === LogLevel.Warn && !message.includes(generated));
    if (isFault) this.messages.push(message);
  }
}

/** Writes the reference pages into `docs`, or with `--check` only looks whether every public type and method is documented. */
const application = await Application.bootstrapWithPlugins({ options: join(root, 'typedoc.json') });
const faults = new Faults();
application.logger = faults;
// A parameter that is taken apart at once has no name in the source.
application.converter.on(Converter.EVENT_CREATE_PARAMETER, (_context, parameter) => {
  if (parameter.name === '__namedParameters') parameter.name = 'options';
});
const project = await application.convert();
if (project) {
  application.validate(project);
  if (!process.argv.includes('--check')) await application.generateDocs(project, join(root, 'docs'));
}
for (const message of faults.messages) console.error(message);
process.exitCode = project && faults.messages.length === 0 ? 0 : 1;
