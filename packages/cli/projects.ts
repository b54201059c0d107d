import type { Command } from 'commander';
import { type LanguageState, STATES } from '../../lib/contract/language-states.ts';
import type { DeletionPlan, ProjectHead, Receipt, WhatToDelete } from '../client/types.ts';
import { addProjectOptions, addUrlOption, type ProjectOptions, requireProjectId, withApi } from './api-client.ts';
import type { Advice } from './api-errors.ts';
import { addCreateCommand } from './create.ts';
import type { CliContext } from './deployment.ts';
import { escapeControls, oneOf, UsageError } from './io.ts';
import { projectCommand } from './project-command.ts';
import { addPutCommand } from './put.ts';
import { tableOf } from './table.ts';

interface ListOptions {
  readonly url?: string;
  readonly state?: LanguageState;
  readonly customIdPrefix?: string;
  readonly createdAfter?: string;
  readonly dueBefore?: string;
  readonly done?: boolean;
}

interface DeleteOptions extends ProjectOptions {
  readonly plan?: string;
}

/** Adds the commands `segue projects list`, `get`, `create`, `put`, `plan` and `delete`. */
export function addProjectCommands(segue: Command, context: CliContext): void {
  const projects = segue.command('projects');
  addList(projects, context);
  addGet(projects, context);
  addCreateCommand(projects, context);
  addPutCommand(projects, context);
  addPlan(projects, context);
  addDelete(projects, context);
}

function addList(projects: Command, context: CliContext): void {
  const command = projects
    .command('list')
    .description('list the projects of the company, newest first')
    .option(
      '--state <state>',
      `only with a target language in this state: ${STATES.join(', ')}`,
      oneOf('state', STATES),
    )
    .option('--custom-id-prefix <text>', 'only with a custom id that begins so')
    .option('--created-after <date>', 'only created after this moment, in RFC 3339 form')
    .option('--due-before <date>', 'only with a deadline before this moment, in RFC 3339 form')
    .option('--done', 'only projects that are done')
    .option('--no-done', 'only projects that are not done');
  addUrlOption(command).action(({ url, ...filter }: ListOptions) =>
    withApi(context, { url }, (client) => context.printList(client.eachProject(filter), PROJECTS)),
  );
}

const PROJECTS = tableOf<ProjectHead>('No projects.', {
  ID: ({ id }) => id,
  'CUSTOM ID': ({ customId }) => customId,
  DUE: ({ endDateUtc }) => textOf(endDateUtc),
  PROGRESS: ({ targetLanguages }) => leastProgress(targetLanguages),
  NAME: ({ name }) => textOf(name),
});

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the progress of the slowest language. */
function leastProgress(targetLanguages: unknown): string {
  const known = Array.isArray(targetLanguages) ? targetLanguages.map(({ progress }) => progress) : [];
  const numbers = known.filter((progress) => typeof progress === 'number');
  return numbers.length > 0 && numbers.length === known.length ? `${Math.min(...numbers)} %` : '?';
}

function addGet(projects: Command, context: CliContext): void {
  const command = projects.command('get').description('print a project with its segments as JSON');
  addProjectOptions(command).action((project: string, { customId, task: taskId, url }: ProjectOptions) =>
    withApi(context, { url }, async (client) => {
      const found = customId
        ? await client.getProjectByCustomId(project, { taskId })
        : await client.getProject(requireProjectId(project), { taskId });
      context.printJson(found);
    }),
  );
}

function addPlan(projects: Command, context: CliContext): void {
  const command = projects
    .command('plan')
    .description('show what the deletion of a project, or of one task, would remove; deletes nothing');
  addProjectOptions(command).action((project: string, { customId, task, url }: ProjectOptions) =>
    withApi(context, { url }, async (client) => {
      const plan = customId
        ? await client.planDeletionByCustomId(project, whatToDelete(task))
        : await client.planDeletion(requireProjectId(project), whatToDelete(task));
      context.print(plan, planLines(plan, url));
    }),
  );
}

function addDelete(projects: Command, context: CliContext): void {
  const command = projects
    .command('delete')
    .description('delete a project, or one task of it, for ever: exactly what its plan shows, or nothing')
    .option('--plan <plan>', 'the plan, from `segue projects plan`; required');
  addProjectOptions(command).action((project: string, { customId, plan, task, url }: DeleteOptions) => {
    const toPlan = projectCommand('plan', project, { '--custom-id': customId, '--task': task, '--url': url });
    const next = `run ${toPlan}, which shows what goes and prints the plan`;
    if (plan === undefined) throw new UsageError(`--plan is missing: ${next}`);
    const advice: Advice = {
      'invalid-header': { instead: `This is not a plan: ${next}.` },
      'plan-outdated': { also: `For a new plan, ${next}.` },
    };
    return withApi(context, { url, advice }, async (client) => {
      const receipt = customId
        ? await client.deleteProjectByCustomId(project, whatToDelete(task), { plan })
        : await client.deleteProject(requireProjectId(project), whatToDelete(task), { plan });
      context.print(receipt, receiptLine(receipt));
    });
  });
}

function whatToDelete(task: string | undefined): WhatToDelete {
  return task === undefined ? 'project' : { taskId: task };
}

function planLines({ scope, projectId, customId, taskId, removes, plan }: DeletionPlan, url?: string): string {
  const target = scope === 'task' ? `task ${taskId} of project ${projectId}` : `project ${projectId}`;
  const task = taskId ?? undefined;
  const toDelete = projectCommand('delete', projectId, { '--task': task, '--url': url, '--plan': plan });
  return [
    `Deleting ${target}${customId === null ? '' : ` (custom id ${customId})`} would remove for ever:`,
    ...countLines(removes),
    `To delete exactly that, run: ${toDelete}`,
  ]
    .map((text) => `${escapeControls(text)}\n`)
    .join('');
}

function countLines({ targetLanguages, segments, tasks }: DeletionPlan['removes']): string[] {
  const counts = { 'target languages': targetLanguages, segments, tasks };
  return Object.entries(counts).map(([what, count]) => `  ${what}: ${count ?? 'unknown'}`);
}

function receiptLine({ scope, projectId, taskId, outcome, operationId }: Receipt): string {
  const target = scope === 'task' ? `Task ${taskId} of project ${projectId}` : `Project ${projectId}`;
  const operation = operationId === undefined ? '' : ` (operation ${operationId})`;
  return `${escapeControls(`${target}: ${outcome}${operation}`)}.\n`;
}
