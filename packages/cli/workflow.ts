import { basename, extname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from './deployment.ts';

interface RunOptions {
  readonly input?: string;
  readonly execution?: string;
  readonly machine?: string;
  readonly reference?: ReadonlyMap<string, string>;
  readonly upstream?: string;
  readonly wait: boolean;
}

/** Adds the command `segue workflow run`. */
export function addWorkflowCommands(segue: Command, { withDeployment, printJson, err, onStop }: CliContext): void {
  const workflow = segue.command('workflow');
  workflow
    .command('run')
    .description('run a state machine, with the task functions and the data of this machine')
    .argument('<definition>', 'a definition in the Amazon States Language, or a template of cdk synth')
    .option('--input <json file>', 'the input of the execution; default: {}')
    .option('--execution <name>', 'the name of the execution: with the same name, each task takes effect once')
    .option('--machine <logical id>', 'the state machine, if the template has several')
    .option(
      '--reference <logical id=value>',
      'the value of a Ref in the template, such as a bucket; may be repeated',
      collect,
    )
    .option('--upstream <base url>', 'the base URL of the upstream service, as for npm start')
    .option('--no-wait', 'leave out all pauses, of states and before retries')
    .action(async (path: string, options: RunOptions) => {
      const { readJsonFile } = await import('./json-file.ts');
      const { readStateMachine } = await import('./workflow/definition.ts');
      const { execute } = await import('./workflow/execute.ts');
      const { failureOf } = await import('./workflow/failure.ts');
      const name = basename(path, extname(path)).replaceAll(/[^\w-]/g, '-');
      const definition = await readJsonFile(path, 'definition', { maxLevels: 100 });
      const file = readStateMachine(definition, {
        name,
        machine: options.machine,
        references: options.reference ?? new Map(),
      });
      const input = options.input === undefined ? {} : await readJsonFile(options.input, 'input');
      const stop = new AbortController();
      using _ = onStop?.(() => stop.abort());
      const executed = await withDeployment(
        async (deployment) =>
          execute(file, {
            workflow: await deployment.workflow(options.upstream),
            input,
            execution: options.execution ?? crypto.randomUUID(),
            noWait: !options.wait,
            onState: (line) => err(`${line}\n`),
            signal: stop.signal,
          }),
        { createsStore: true },
      );
      if ('error' in executed) throw failureOf(executed);
      printJson(executed.output);
    });
}

/** Adds a reference to those before. */
function collect(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [id = '', ...value] = text.split('=');
  if (id === '' || value.length === 0) throw new InvalidArgumentError('Write <logical id>=<value>.');
  return new Map([...before, [id, value.join('=')]]);
}
