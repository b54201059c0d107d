import { Command, CommanderError } from 'commander';
import { WrongSetting } from '../../lib/contract/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { CliContext, Deployment, StackName } from './deployment.ts';
import { CliError, type CliIo, escapeControlsInLines, formatError } from './io.ts';
import { ProgressLine } from './progress-line.ts';
import { printTable } from './table.ts';
import { formatUsageError } from './usage-error.ts';

/**
 * Runs one command to its end, and prints an error as one line. The returned promise never rejects.
 * @param args the arguments after `segue`
 * @returns the exit code. 0: the command succeeded. 1: it was refused or failed. 2: a usage error or an unusable
 * manifest
 */
export async function run(args: readonly string[], io: CliIo): Promise<0 | 1 | 2> {
  // Field names, file names and answers of other servers may hold escape sequences for the terminal.
  const { style = (_, text) => text } = io;
  const progress = new ProgressLine(io.terminal);
  const printer = (print: (text: string) => void) => (text: string) => {
    progress.clear();
    print(escapeControlsInLines(text));
  };
  const [out, err] = [printer(io.out), printer(io.err)];
  const heading = printer((text) => io.out(style('heading', text)));
  const failed = (message: string) => {
    io.err(style('error', 'segue:'));
    err(` ${message}\n`);
  };
  const segue = rootCommand({ ...io, out, err });
  const context = contextOf(segue, { ...io, out, err }, { heading, progress });
  try {
    // This also prints the version, if the arguments ask for it.
    const [name] = segue.parseOptions([...args]).operands;
    await addCommands(segue, context, name);
    await segue.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help that was printed needs no message.
      if (error.message.startsWith('error: ')) failed(formatUsageError(error, segue));
      return error.exitCode === 0 ? 0 : 2;
    }
    if (error instanceof CliError) err(error.faults);
    failed(formatError(error));
    if (error instanceof WrongSetting) return 2;
    return error instanceof CliError ? error.exitCode : 1;
  }
}

/** Creates the `segue` command with all commands, which are not for running. */
export async function program(io: CliIo): Promise<Command> {
  const segue = rootCommand(io);
  const output = { heading: io.out, progress: new ProgressLine(undefined) };
  await addCommands(segue, contextOf(segue, io, output), undefined);
  return segue;
}

/** Creates the `segue` command without commands. For a usage error, parsing throws a `CommanderError`. */
function rootCommand(io: CliIo): Command {
  return new Command('segue')
    .description('Administers the Segue of this machine, even while it runs, or the Segue of a CloudFormation stack.')
    .option('--stack <name>', 'administer this CloudFormation stack instead of this machine')
    .option('--gateway <id>', 'the construct id of the Segue, if the stack has several')
    .option('--json', 'print results as JSON: one object on a line for each row of a list')
    .version(packageJson.version)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: () => {},
    });
}

interface CommandGroup {
  /** The commands that need no other group. */
  readonly names: readonly string[];
  /** Loads the function that adds the commands. */
  readonly load: () => Promise<(segue: Command, context: CliContext) => void>;
}

/** The commands in the order of the help. */
const GROUPS: readonly CommandGroup[] = [
  { names: ['start'], load: async () => (await import('./start.ts')).addStartCommand },
  { names: ['login', 'logout'], load: async () => (await import('./login.ts')).addLoginCommands },
  { names: ['company'], load: async () => (await import('./company.ts')).addCompanyCommands },
  { names: ['signing-keys'], load: async () => (await import('./signing-keys.ts')).addSigningKeyCommands },
  { names: ['source'], load: async () => (await import('./source.ts')).addSourceCommands },
  { names: ['dead-letters'], load: async () => (await import('./dead-letters.ts')).addDeadLetterCommands },
  { names: ['events'], load: async () => (await import('./events.ts')).addEventCommands },
  { names: ['audit'], load: async () => (await import('./audit.ts')).addAuditCommand },
  { names: ['restore'], load: async () => (await import('./restore.ts')).addRestoreCommand },
  { names: ['bulk'], load: async () => (await import('./bulk.ts')).addBulkCommand },
  { names: ['workflow'], load: async () => (await import('./workflow.ts')).addWorkflowCommands },
  { names: ['export'], load: async () => (await import('./export.ts')).addExportCommand },
  { names: ['import'], load: async () => (await import('./import.ts')).addImportCommand },
  { names: ['language', 'languages'], load: async () => (await import('./language.ts')).addLanguageCommands },
  { names: ['projects'], load: async () => (await import('./projects.ts')).addProjectCommands },
  { names: ['progress', 'segments'], load: async () => (await import('./results.ts')).addResultCommands },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).addDoctorCommand },
  { names: [], load: async () => (await import('./completion.ts')).addCompletionCommand },
];

/** Adds the group of the command that the arguments name. Without one, as for the help, it adds all groups. */
async function addCommands(segue: Command, context: CliContext, name: string | undefined): Promise<void> {
  const named = GROUPS.filter(({ names }) => name !== undefined && names.includes(name));
  const groups = named.length > 0 ? named : GROUPS;
  for (const add of await Promise.all(groups.map(({ load }) => load()))) add(segue, context);
}

interface ProgramOutput {
  readonly heading: (text: string) => void;
  readonly progress: ProgressLine;
}

/** The options of all commands. */
interface Options extends Partial<StackName> {
  readonly json?: true;
}

function contextOf(segue: Command, io: CliIo, { heading, progress }: ProgramOutput): CliContext {
  const isJson = () => segue.opts<Options>().json === true;

  function stackName(): StackName | undefined {
    const { stack, gateway } = segue.opts<Options>();
    if (stack !== undefined) return { stack, gateway };
    if (gateway !== undefined) segue.error('error: --gateway selects a Segue in a stack: give --stack too');
    return undefined;
  }
  return {
    ...io,
    progress,
    stackName,
    print: (value, text) => io.out(isJson() ? `${JSON.stringify(value)}\n` : text),
    printJson: (value) => io.out(`${JSON.stringify(value, undefined, isJson() ? 0 : 2)}\n`),
    async printList(entries, table, toJson = (entry) => entry) {
      if (isJson()) for await (const entry of entries) io.out(`${JSON.stringify(toJson(entry))}\n`);
      else if ((await printTable(entries, table, { out: io.out, heading })) === 0) io.err(`${table.empty}\n`);
    },
    async withDeployment(work, options = {}) {
      const stack = stackName();
      if (stack) return withStack(stack, work);
      const { localDeployment } = await import('./local-deployment.ts');
      return withOpen(localDeployment(io, options), work);
    },
  };
}

async function withOpen<T>(deployment: Deployment, work: (deployment: Deployment) => Promise<T>): Promise<T> {
  try {
    return await work(deployment);
  } finally {
    deployment.close();
  }
}

/** Opens a stack for some work, and loads the AWS SDK. */
async function withStack<T>(stack: StackName, work: (deployment: Deployment) => Promise<T>): Promise<T> {
  const { stackDeployment } = await import('./stack-deployment.ts');
  const { explainAwsError } = await import('./aws-errors.ts');
  try {
    return await withOpen(await stackDeployment(stack), work);
  } catch (error) {
    throw explainAwsError(error);
  }
}
