import { type Command, InvalidArgumentError } from 'commander';
import { REVISION_RULE, revisionOf } from '../../lib/contract/revision.ts';
import { addUrlOption, withApi } from './api-client.ts';
import type { Advice } from './api-errors.ts';
import { addFileOptions } from './create.ts';
import type { CliContext } from './deployment.ts';
import { UsageError } from './io.ts';
import { type GivenOptions, projectCommand } from './project-command.ts';
import type { PutOptions } from './put-project.ts';

/** Adds the command `segue projects put`. */
export function addPutCommand(projects: Command, context: CliContext): void {
  const command = projects
    .command('put')
    .description(
      'make a project be what a file says: create it, or change what differs. Equal texts keep their translations',
    );
  addFileOptions(command)
    .option('--project <id>', 'the id of the project; default: the project with the custom id of the file or option')
    .option('--task <task id>', 'change only this task of an existing project')
    .option(
      '--revision <number or date>',
      'a number or date that grows with each version: a lower one than the last changes nothing',
      parseRevision,
    )
    .option('--plan', 'show what stays, changes, comes and goes, and change nothing')
    .option('--if-plan <plan>', 'do only what this plan of --plan shows, or nothing')
    .option('--idempotency-key <key>', 'the key of the request; default: a new one, because a put repeats nothing');
  addUrlOption(command).action((path: string, options: PutOptions) => {
    if (options.plan && options.ifPlan !== undefined) throw new UsageError('give --plan or --if-plan, but not both');
    const given = givenOptions(command);
    const toPlan = projectCommand('put', path, { ...given, '--if-plan': undefined, '--plan': true });
    const advice: Advice = {
      'invalid-header': { instead: `This is not a plan: to see one, run ${toPlan}` },
      'plan-outdated': { also: `For a new plan, run ${toPlan}` },
    };
    return withApi(context, { ...options, advice }, async (client, say) => {
      const { putFromFile } = await import('./put-project.ts');
      const bound = (plan: string) => projectCommand('put', path, { ...given, '--plan': undefined, '--if-plan': plan });
      await putFromFile(path, options, { client, say, print: context.print, bound });
    });
  });
}

/** Parses a revision. @throws {InvalidArgumentError} if it is neither a whole number nor a date */
function parseRevision(text: string): number {
  const revision = revisionOf(/^\d+$/.test(text) ? Number(text) : text);
  if (revision === undefined) throw new InvalidArgumentError(REVISION_RULE);
  return revision;
}

/** Returns the options that the user gave. */
function givenOptions(command: Command): GivenOptions {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  return Object.fromEntries(given.map((option) => [option.long, command.getOptionValue(option.attributeName())]));
}
