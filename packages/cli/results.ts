import type { Command } from 'commander';
import { TRANSLATION_STATUSES, type TranslationStatus } from '../../lib/contract/translation-status.ts';
import type { SegueClient } from '../client/segue-client.ts';
import type { Progress, SegmentTranslation, TranslatedSegment } from '../client/types.ts';
import { addProjectOptions, type ProjectOptions, requireProjectId, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { oneOf } from './io.ts';
import { counted, sayRead } from './progress-line.ts';
import { tableOfRows } from './table.ts';

interface SegmentsOptions extends ProjectOptions {
  readonly language?: string;
  readonly status?: TranslationStatus;
}

/** Adds the commands `segue segments` and `segue progress`. */
export function addResultCommands(segue: Command, context: CliContext): void {
  const segments = segue
    .command('segments')
    .option('--language <code>', 'only the translations into this language')
    .option(
      '--status <status>',
      `only translations of this status: ${TRANSLATION_STATUSES.join(', ')}`,
      oneOf('status', TRANSLATION_STATUSES),
    );
  addProjectOptions(segments).action((project: string, options: SegmentsOptions) =>
    withApi(context, options, async (client, say) => {
      const { task: taskId, language: languageCode, status } = options;
      const named = options.customId ? { customId: project } : requireProjectId(project);
      const segments = client.eachSegment(named, { taskId, languageCode, status });
      await context.printList(
        counted(segments, (count) => say(sayRead(count))),
        TRANSLATIONS,
      );
    }),
  );

  const progress = segue.command('progress');
  addProjectOptions(progress).action((project: string, options: ProjectOptions) =>
    withApi(context, options, async (client) => {
      const found = await progressOf(client, project, options);
      await context.printList([found], PROGRESS);
    }),
  );
}

function progressOf(
  client: SegueClient,
  project: string,
  { customId, task: taskId }: ProjectOptions,
): Promise<Progress> {
  return customId
    ? client.getProgressByCustomId(project, { taskId })
    : client.getProgress(requireProjectId(project), { taskId });
}

type TranslationRow = SegmentTranslation & {
  readonly segmentId: unknown;
  readonly customId: unknown;
  readonly sourceText: unknown;
};

function translationsOf({ source, translations }: TranslatedSegment): TranslationRow[] {
  const { id: segmentId, customId, content: sourceText } = source ?? {};
  return (translations ?? []).map((translation) => ({ ...translation, segmentId, customId, sourceText }));
}

const TRANSLATIONS = tableOfRows(
  'No segments.',
  {
    SEGMENT: ({ segmentId }) => textOf(segmentId),
    'CUSTOM ID': ({ customId }) => textOf(customId),
    LANGUAGE: ({ languageCode }) => languageCode,
    STATUS: ({ status }) => textOf(status),
    SOURCE: ({ sourceText }) => shorten(textOf(sourceText) ?? ''),
    TRANSLATION: ({ content }) => content,
  },
  translationsOf,
);

/** How many characters of a source text are shown. */
const SHOWN = 40;

function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 2 * SHOWN));
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN - 1).join('')}…` : text;
}

/** A row of a progress: the total, a language, a task in a language, or an assignee. */
interface ProgressRow {
  readonly of: 'total' | 'language' | 'task' | 'assignee';
  readonly taskId?: string | null | undefined;
  readonly languageCode?: string | null | undefined;
  readonly progress?: unknown;
  readonly role?: unknown;
  readonly memberId?: number | null | undefined;
}

const PROGRESS = tableOfRows(
  'No progress.',
  {
    OF: ({ of }) => of,
    TASK: ({ taskId }) => taskId,
    LANGUAGE: ({ languageCode }) => languageCode,
    PROGRESS: ({ of, progress }) => (of === 'assignee' ? undefined : percent(progress)),
    ROLE: ({ role }) => textOf(role),
    MEMBER: ({ memberId }) => memberId,
  },
  progressRows,
);

function progressRows({ total, languages, tasks, assignees }: Progress): ProgressRow[] {
  return [
    { of: 'total', progress: total },
    ...(languages ?? []).map((each) => ({ of: 'language' as const, ...each })),
    ...(tasks ?? []).flatMap(({ taskId, targetLanguages }) =>
      (targetLanguages ?? []).map((each) => ({ of: 'task' as const, taskId, ...each })),
    ),
    ...(assignees ?? []).map((each) => ({ of: 'assignee' as const, ...each, taskId: each.taskId ?? '-' })),
  ];
}

function percent(value: unknown): string {
  return typeof value === 'number' ? `${value} %` : '?';
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
