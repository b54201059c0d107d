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
    const [name, helped] = segue.parseOptions([...args]).operands;
    await addCommands(segue, context, name === 'help' ? helped : name);
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
  await addGroups(segue, contextOf(segue, io, output), GROUPS);
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
  /** The description of each command, by its name and arguments as the help shows them. */
  readonly commands: Readonly<Record<string, string>>;
  /** Loads the function that adds the commands. */
  readonly load: () => Promise<(segue: Command, context: CliContext) => void>;
}

/** The commands in the order of the help. */
const GROUPS: readonly CommandGroup[] = [
  {
    commands: {
      'start [options...]': 'start the service of this machine, as npm start does in a checkout; Ctrl-C stops it',
    },
    load: async () => (await import('./start.ts')).addStartCommand,
  },
  {
    commands: {
      'login [options]': 'store the credentials of a company for the commands that call the API',
      'logout [options]': 'remove the stored credentials of an API',
    },
    load: async () => (await import('./login.ts')).addLoginCommands,
  },
  {
    commands: {
      company: 'manage companies and their keys',
    },
    load: async () => (await import('./company.ts')).addCompanyCommands,
  },
  {
    commands: {
      'signing-keys': 'manage the keys that sign tokens',
    },
    load: async () => (await import('./signing-keys.ts')).addSigningKeyCommands,
  },
  {
    commands: {
      source: 'manage senders of webhooks and their mappings',
    },
    load: async () => (await import('./source.ts')).addSourceCommands,
  },
  {
    commands: {
      'dead-letters': 'manage webhook messages that failed for good',
    },
    load: async () => (await import('./dead-letters.ts')).addDeadLetterCommands,
  },
  {
    commands: {
      events: 'manage the secrets and deliveries of events to partners',
    },
    load: async () => (await import('./events.ts')).addEventCommands,
  },
  {
    commands: {
      destination: 'send translations to other systems after events',
    },
    load: async () => (await import('./destination.ts')).addDestinationCommands,
  },
  {
    commands: {
      'audit [options]':
        'compare the projects at the upstream service with the projects that companies own; changes nothing',
    },
    load: async () => (await import('./audit.ts')).addAuditCommand,
  },
  {
    commands: {
      'restore [options]':
        'prepare restored tables for a stack: add their settings, repeat the deletions and revocations that they do not know of, and report what is missing. You can run it again at any time',
    },
    load: async () => (await import('./restore.ts')).addRestoreCommand,
  },
  {
    commands: {
      'bulk [options] <manifest>':
        'run a manifest of projects to create, put and delete. Each line runs once: a later run with the same name runs only lines that are new or were refused',
    },
    load: async () => (await import('./bulk.ts')).addBulkCommand,
  },
  {
    commands: {
      workflow: 'run state machines of AWS Step Functions on this machine',
    },
    load: async () => (await import('./workflow.ts')).addWorkflowCommands,
  },
  {
    commands: {
      'export [options] <project>': 'write the translations of a project into one language as a file for translators',
    },
    load: async () => (await import('./export.ts')).addExportCommand,
  },
  {
    commands: {
      'import [options] <file>':
        'write the translations in a file to their project; repeating an import changes nothing',
    },
    load: async () => (await import('./import.ts')).addImportCommand,
  },
  {
    commands: {
      'language [options] <project> <code>': 'start or stop the work on a target language of a project',
      'languages [options]': 'list the languages of the catalogue with their codes',
    },
    load: async () => (await import('./language.ts')).addLanguageCommands,
  },
  {
    commands: {
      projects: 'list, show, create, update and delete projects',
    },
    load: async () => (await import('./projects.ts')).addProjectCommands,
  },
  {
    commands: {
      'segments [options] <project>': 'show the segments of a project with their translations',
      'progress [options] <project>': 'show the progress of a project by language and task',
    },
    load: async () => (await import('./results.ts')).addResultCommands,
  },
  {
    commands: {
      'mcp [options]': 'serve an agent on this machine over the Model Context Protocol, with standard input and output',
    },
    load: async () => (await import('./mcp.ts')).addMcpCommand,
  },
  {
    commands: {
      'doctor [options]':
        'check what the commands need: Node, the API, the clock, the credentials and the service behind it',
    },
    load: async () => (await import('./doctor.ts')).addDoctorCommand,
  },
  {
    commands: {
      'completion <shell>': 'print a script that completes commands and options in a shell',
    },
    load: async () => (await import('./completion.ts')).addCompletionCommand,
  },
];

/** The command that needs all others. */
const COMPLETION = 'completion';

const nameOf = (term: string) => term.split(' ')[0];
const namesIn = ({ commands }: CommandGroup) => Object.keys(commands).map(nameOf);

/**
 * Adds the group of the command that the arguments name. Without one, as for the help, it only describes all commands, so
 * that none is loaded.
 */
async function addCommands(segue: Command, context: CliContext, name: string | undefined): Promise<void> {
  if (name === COMPLETION) return addGroups(segue, context, GROUPS);
  const group = GROUPS.find((each) => namesIn(each).includes(name));
  if (group) return addGroups(segue, context, [group]);
  for (const { commands } of GROUPS) {
    for (const [term, description] of Object.entries(commands)) segue.command(term).description(description);
  }
}

async function addGroups(segue: Command, context: CliContext, groups: readonly CommandGroup[]): Promise<void> {
  for (const add of await Promise.all(groups.map(({ load }) => load()))) add(segue, context);
  const descriptions = new Map(
    groups.flatMap(({ commands }) =>
      Object.entries(commands).map(([term, description]) => [nameOf(term), description] as const),
    ),
  );
  for (const command of segue.commands) command.description(descriptions.get(command.name()) ?? '');
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
