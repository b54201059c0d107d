import { basename, extname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';
import type { CliContext } from './deployment.ts';
import { CliError, tryParseJson } from './io.ts';
import { readJsonFile } from './json-file.ts';
import { readStateMachine } from './workflow/definition.ts';
import { execute } from './workflow/execute.ts';

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
  const workflow = segue.command('workflow').description('run state machines of AWS Step Functions on this machine');
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
            tasks: await deployment.tasks(options.upstream),
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

/** The cause of a failed task, as Lambda gives it to Step Functions. */
const TaskCause = z.object({ errorType: z.string(), errorMessage: z.string() });
const TaskProblem = z.object({
  detail: z.string(),
  errors: z.optional(z.array(z.object({ pointer: z.string(), detail: z.string() }))),
});

/** Returns the failure of an execution. The cause of a failed task is its problem, with a line for each fault. */
function failureOf({ error, cause }: { readonly error: string; readonly cause: string }): CliError {
  const { errorType, errorMessage } = TaskCause.safeParse(tryParseJson(cause)).data ?? {
    errorType: error,
    errorMessage: cause,
  };
  const problem = TaskProblem.safeParse(tryParseJson(errorMessage)).data;
  const name = errorType === error ? error : `${error} (${errorType})`;
  const faults = (problem?.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}\n`).join('');
  return new CliError(`the execution failed with ${name}: ${problem?.detail ?? errorMessage}`, { faults });
}
