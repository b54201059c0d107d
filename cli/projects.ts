import type { Command } from 'commander';
import type { DeletionPlan, ProjectHead, Receipt, WhatToDelete } from '../lib/client/types.ts';
import { type LanguageState, STATES } from '../lib/contract/language-states.ts';
import { addProjectOptions, addUrlOption, requireProjectId, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { escapeControls } from './io.ts';
import { parseState } from './language.ts';

interface Options {
  readonly json?: true;
  readonly url?: string;
}

interface ListOptions extends Options {
  readonly state?: LanguageState;
  readonly customIdPrefix?: string;
  readonly createdAfter?: string;
  readonly dueBefore?: string;
  readonly done?: boolean;
}

interface ProjectOptions extends Options {
  readonly task?: string;
  readonly customId?: true;
}

interface DeleteOptions extends ProjectOptions {
  readonly plan: string;
}

/** Adds the commands `segue projects list`, `get`, `plan` and `delete`. */
export function addProjectCommands(segue: Command, context: CliContext): void {
  const projects = segue.command('projects').description('list, show and delete projects');
  addList(projects, context);
  addGet(projects, context);
  addPlan(projects, context);
  addDelete(projects, context);
}

function addList(projects: Command, context: CliContext): void {
  const command = projects
    .command('list')
    .description('list the projects of the company, newest first')
    .option('--state <state>', `only with a target language in this state: ${STATES.join(', ')}`, parseState)
    .option('--custom-id-prefix <text>', 'only with a custom id that begins so')
    .option('--created-after <date>', 'only created after this moment, in RFC 3339 form')
    .option('--due-before <date>', 'only with a deadline before this moment, in RFC 3339 form')
    .option('--done', 'only projects that are done')
    .option('--no-done', 'only projects that are not done')
    .option('--json', 'print one JSON object per project');
  addUrlOption(command).action(({ json, url, ...filter }: ListOptions) =>
    withApi(context, url, async (client) => {
      let count = 0;
      for await (const project of client.eachProject(filter)) {
        if (count++ === 0 && !json) context.out(row(['ID', 'CUSTOM ID', 'DUE', 'PROGRESS', 'NAME']));
        context.out(json ? `${JSON.stringify(project)}\n` : projectRow(project));
      }
      if (count === 0 && !json) context.out('No projects.\n');
    }),
  );
}

function addGet(projects: Command, context: CliContext): void {
  const command = projects.command('get').description('print a project with its segments as JSON');
  addProjectOptions(command).action((project: string, { customId, task: taskId, url }: ProjectOptions) =>
    withApi(context, url, async (client) => {
      const found = customId
        ? await client.getProjectByCustomId(project, { taskId })
        : await client.getProject(requireProjectId(project), { taskId });
      context.out(`${JSON.stringify(found, null, 2)}\n`);
    }),
  );
}

function addPlan(projects: Command, context: CliContext): void {
  const command = projects
    .command('plan')
    .description('show what the deletion of a project, or of one task, would remove; deletes nothing')
    .option('--json', 'print the plan as JSON');
  addProjectOptions(command).action((project: string, { customId, json, task, url }: ProjectOptions) =>
    withApi(context, url, async (client) => {
      const plan = customId
        ? await client.planDeletionByCustomId(project, whatToDelete(task))
        : await client.planDeletion(requireProjectId(project), whatToDelete(task));
      context.out(json ? `${JSON.stringify(plan)}\n` : planLines(plan));
    }),
  );
}

function addDelete(projects: Command, context: CliContext): void {
  const command = projects
    .command('delete')
    .description('delete a project, or one task of it, for ever: exactly what its plan shows, or nothing')
    .requiredOption('--plan <plan>', 'the plan, from `segue projects plan`')
    .option('--json', 'print the receipt as JSON');
  addProjectOptions(command).action((project: string, { customId, json, plan, task, url }: DeleteOptions) =>
    withApi(context, url, async (client) => {
      const receipt = customId
        ? await client.deleteProjectByCustomId(project, whatToDelete(task), { plan })
        : await client.deleteProject(requireProjectId(project), whatToDelete(task), { plan });
      context.out(json ? `${JSON.stringify(receipt)}\n` : receiptLine(receipt));
    }),
  );
}

function whatToDelete(task: string | undefined): WhatToDelete {
  return task === undefined ? 'project' : { taskId: task };
}

/** The widths of the columns of a list, in characters. The last column has no width. */
const WIDTHS = [18, 24, 20, 8];

/** Formats the columns of a list. A longer text moves the next columns, and none is cut off. */
function row(columns: readonly unknown[]): string {
  const cells = columns.map((cell, index) => escapeControls(String(cell ?? '-')).padEnd(WIDTHS[index] ?? 0));
  return `${cells.join('  ').trimEnd()}\n`;
}

function projectRow({ id, customId, name, endDateUtc, targetLanguages }: ProjectHead): string {
  const known = Array.isArray(targetLanguages) ? targetLanguages.map(({ progress }) => progress) : [];
  const numbers = known.filter((progress) => typeof progress === 'number');
  const least = numbers.length > 0 && numbers.length === known.length ? `${Math.min(...numbers)} %` : '?';
  return row([id, customId, endDateUtc, least, name]);
}

function planLines({ scope, projectId, customId, taskId, removes, plan }: DeletionPlan): string {
  const target = scope === 'task' ? `task ${taskId} of project ${projectId}` : `project ${projectId}`;
  return [
    `Deleting ${target}${customId === null ? '' : ` (custom id ${customId})`} would remove for ever:`,
    ...countLines(removes),
    `To delete exactly that, add: --plan ${plan}`,
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
