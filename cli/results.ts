import { type Command, InvalidArgumentError } from 'commander';
import type { SegueClient } from '../lib/client/segue-client.ts';
import type { Progress, TranslatedSegment } from '../lib/client/types.ts';
import { TRANSLATION_STATUSES, type TranslationStatus } from '../lib/contract/translation-status.ts';
import { addProjectOptions, requireProjectId, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { escapeControls } from './io.ts';

interface Options {
  readonly task?: string;
  readonly customId?: true;
  readonly json?: true;
  readonly url?: string;
}

interface SegmentsOptions extends Options {
  readonly language?: string;
  readonly status?: TranslationStatus;
}

/** Adds the commands `segue segments` and `segue progress`. */
export function addResultCommands(segue: Command, context: CliContext): void {
  const segments = segue
    .command('segments')
    .description('show the segments of a project with their translations')
    .option('--language <code>', 'only the translations into this language')
    .option('--status <status>', `only translations of this status: ${TRANSLATION_STATUSES.join(', ')}`, parseStatus);
  addProjectOptions(segments.option('--json', 'print one JSON object per segment')).action(
    (project: string, options: SegmentsOptions) =>
      withApi(context, options.url, async (client) => {
        const { task: taskId, language: languageCode, status } = options;
        const named = options.customId ? { customId: project } : requireProjectId(project);
        for await (const segment of client.eachSegment(named, { taskId, languageCode, status })) {
          context.out(options.json ? `${JSON.stringify(segment)}\n` : segmentLines(segment));
        }
      }),
  );

  const progress = segue.command('progress').description('show the progress of a project by language and task');
  addProjectOptions(progress.option('--json', 'print the progress as JSON')).action(
    (project: string, options: Options) =>
      withApi(context, options.url, async (client) => {
        const found = await progressOf(client, project, options);
        context.out(options.json ? `${JSON.stringify(found)}\n` : progressLines(found));
      }),
  );
}

function parseStatus(text: string): TranslationStatus {
  const status = TRANSLATION_STATUSES.find((name) => name === text);
  if (status) return status;
  throw new InvalidArgumentError(`The status must be one of ${TRANSLATION_STATUSES.join(', ')}.`);
}

function progressOf(client: SegueClient, project: string, { customId, task: taskId }: Options): Promise<Progress> {
  return customId
    ? client.getProgressByCustomId(project, { taskId })
    : client.getProgress(requireProjectId(project), { taskId });
}

/** Formats a segment, with one line for each translation: segment id, language, status and translation. */
function segmentLines({ source, translations }: TranslatedSegment): string {
  return (translations ?? [])
    .map(({ languageCode, status, content }) => line(source?.id, languageCode, status, content))
    .join('');
}

/**
 * Formats a progress: the total, then one line for each language, then one for each task and language, then one for
 * each assignee, with `-` for the segments without a task.
 */
function progressLines({ total, languages, tasks, assignees }: Progress): string {
  const ofLanguages = languages ?? [];
  return [
    line('total', percent(total)),
    ...ofLanguages.map(({ languageCode, progress }) => line('language', languageCode, percent(progress))),
    ...(tasks ?? []).flatMap(({ taskId, targetLanguages }) =>
      (targetLanguages ?? []).map((each) => line('task', taskId, each.languageCode, percent(each.progress))),
    ),
    ...(assignees ?? []).map(({ taskId, languageCode, role, memberId }) =>
      line('assignee', taskId ?? '-', languageCode, role, memberId),
    ),
  ].join('');
}

function percent(value: unknown): string {
  return typeof value === 'number' ? `${value} %` : '?';
}

/** Formats columns as one line. Columns without a value are left out, and a text cannot begin a line of its own. */
function line(...columns: readonly unknown[]): string {
  const shown = columns.filter((column) => column !== undefined && column !== null);
  return `${shown.map((column) => escapeControls(String(column))).join('  ')}\n`;
}
