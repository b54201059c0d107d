import { Command, CommanderError } from 'commander';
import { WrongSetting } from '../../lib/contract/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { addAuditCommand } from './audit.ts';
import { addBulkCommand } from './bulk.ts';
import { addCompanyCommands } from './company.ts';
import { addCompletionCommand } from './completion.ts';
import { addDeadLetterCommands } from './dead-letters.ts';
import type { CliContext, Deployment, StackName } from './deployment.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEventCommands } from './events.ts';
import { addExportCommand } from './export.ts';
import { addImportCommand } from './import.ts';
import { CliError, type CliIo, escapeControlsInLines, formatError } from './io.ts';
import { addLanguageCommands } from './language.ts';
import { localDeployment } from './local-deployment.ts';
import { addLoginCommands } from './login.ts';
import { ProgressLine } from './progress-line.ts';
import { addProjectCommands } from './projects.ts';
import { addRestoreCommand } from './restore.ts';
import { addResultCommands } from './results.ts';
import { addSourceCommands } from './source.ts';
import { addStartCommand } from './start.ts';
import { printTable } from './table.ts';
import { formatUsageError } from './usage-error.ts';
import { addWorkflowCommands } from './workflow.ts';

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
  const segue = program({ ...io, out, err }, { heading, progress });
  try {
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

/**
 * Creates the `segue` command. For a usage error, parsing throws a `CommanderError`, which the caller prints.
 * @param output prints the heading of a table, and shows progress
 */
export function program(
  io: CliIo,
  output: ProgramOutput = { heading: io.out, progress: new ProgressLine(undefined) },
): Command {
  const segue = new Command('segue')
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
  const context = contextOf(segue, io, output);
  addStartCommand(segue, context);
  addLoginCommands(segue, context);
  addCompanyCommands(segue, context);
  addSigningKeyCommands(segue, context);
  addSourceCommands(segue, context);
  addDeadLetterCommands(segue, context);
  addEventCommands(segue, context);
  addAuditCommand(segue, context);
  addRestoreCommand(segue, context);
  addBulkCommand(segue, context);
  addWorkflowCommands(segue, context);
  addExportCommand(segue, context);
  addImportCommand(segue, context);
  addLanguageCommands(segue, context);
  addProjectCommands(segue, context);
  addResultCommands(segue, context);
  addDoctorCommand(segue, context);
  addCompletionCommand(segue, context);
  return segue;
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
      return stack ? withStack(stack, work) : withOpen(localDeployment(io, options), work);
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

/** Opens a stack for some work. The AWS SDK is loaded only here, so that other commands start faster. */
async function withStack<T>(stack: StackName, work: (deployment: Deployment) => Promise<T>): Promise<T> {
  const { stackDeployment } = await import('./stack-deployment.ts');
  const { explainAwsError } = await import('./aws-errors.ts');
  try {
    return await withOpen(await stackDeployment(stack), work);
  } catch (error) {
    throw explainAwsError(error);
  }
}

const DROPPED =
  'Dropped. Within a minute, a new key signs all tokens, and all earlier tokens are refused. Clients sign in again with their API keys.\n';

/** Adds the commands `segue signing-keys rotate|drop`. */
function addSigningKeyCommands(segue: Command, { print, progress, withDeployment }: CliContext): void {
  const signingKeys = segue.command('signing-keys').description('manage the keys that sign tokens');

  signingKeys
    .command('rotate')
    .description('add a key that signs new tokens; existing tokens stay valid')
    .action(async () => {
      const next = await withDeployment((deployment) => deployment.rotateSigningKeys());
      print({ next }, `${next} Tokens of earlier keys stay valid until they expire.\n`);
    });

  signingKeys
    .command('drop')
    .description('replace all keys, after one has leaked; all existing tokens end')
    .action(async () => {
      await progress.during('Replacing the signing keys', () =>
        withDeployment((deployment) => deployment.dropSigningKeys()),
      );
      print({ dropped: true }, DROPPED);
    });
}
