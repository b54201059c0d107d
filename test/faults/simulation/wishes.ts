import { checkProject } from '../../../lib/contract/check-project.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import type { Content, Segment } from './truth.ts';
import type { Company } from './world.ts';

/** A project that a client wants to have. Its name identifies the wish. */
export interface Wish {
  readonly company: Company;
  readonly name: string;
  readonly customId: string | undefined;
  readonly tasks: readonly string[];
  readonly languages: readonly string[];
  /** The content of the first segment. */
  readonly text: string;
}

/** The ways in which another client's project may differ from the similar project of a company. */
export const DIFFERENCES = ['name', 'language', 'content', 'segments'] as const;

/**
 * A project of another client. It may have the custom id of a company's project and differ from it in only one thing.
 */
export interface Foreign extends Omit<Wish, 'company'> {
  readonly difference: (typeof DIFFERENCES)[number];
}

/** The content of a project that is created. */
export const CREATED = { languages: ['de-DE'], text: 'x' } as const;

/** The few contents of projects that are put. They share segments and languages. */
const PUTS = {
  p: { tasks: ['t', 'u'], languages: ['de-DE', 'fr-FR'] },
  q: { tasks: ['t'], languages: ['de-DE'] },
  r: { tasks: ['__proto__', 'u'], languages: ['fr-FR', 'es-ES'] },
} as const;
type PutText = keyof typeof PUTS;
export const PUT_TEXTS: readonly PutText[] = ['p', 'q', 'r'];

/** Returns a wish that is put again and again. @param of what distinguishes the project from others of the company */
export function putWish(company: Company, text: PutText, customId: string | undefined, of: string): Wish {
  return { company, name: `${company} put ${text} of ${of}`, customId, text, ...PUTS[text] };
}

/** Returns the content of the project of a wish, or of another client's similar project. */
export function contentOf({
  name,
  tasks,
  languages,
  text,
  difference,
}: Omit<Foreign, 'difference'> & Partial<Foreign>) {
  const segments: readonly Segment[] = [
    { customId: 'first', content: difference === 'content' ? 'y' : text },
    ...tasks.map((taskId) => ({ content: taskId, taskId })),
    ...(difference === 'segments' ? [{ content: 'z' }] : []),
  ];
  const content: Content = {
    name: difference === 'name' ? `other than ${name}` : name,
    languages: difference === 'language' ? ['it-IT'] : languages,
    segments,
  };
  return content;
}

/** Returns the segments of the put of one task. The project has the first one's task, and the second gets it. */
export function taskSegments({ text }: Wish, taskId: string): readonly Segment[] {
  return [{ content: `${text} of a task`, taskId }, { content: text }];
}

/** Returns the content after the put of one task. */
export function afterTaskPut(before: Content, wish: Wish, taskId: string): Content {
  const isOfTask = (segment: Segment) => segment.taskId === taskId;
  const first = before.segments.findIndex(isOfTask);
  const place = first < 0 ? before.segments.length : first;
  const others = before.segments.slice(place).filter((segment) => !isOfTask(segment));
  const own = taskSegments(wish, taskId).map((segment) => ({ ...segment, taskId }));
  return { ...before, segments: [...before.segments.slice(0, place), ...own, ...others] };
}

const END_UTC = '2059-01-01T00:00:00Z';

/** Returns the body of a request for a wish, or for another client's similar project. */
export function bodyOf(
  wish: Omit<Wish, 'company'> & Partial<Foreign>,
  nowMs: number,
  { isPut = false, segments }: { readonly isPut?: boolean; readonly segments?: readonly Segment[] } = {},
): CheckedProject {
  const { customId } = wish;
  const content = contentOf(wish);
  const body = {
    name: content.name,
    ...(customId !== undefined && { customId }),
    startDateUtc: utc(nowMs),
    endDateUtc: END_UTC,
    sourceLanguageCode: 'en-US',
    targetLanguages: content.languages.map((targetLanguageCode) => ({
      targetLanguageCode,
      serviceAutomaticTranslation: true,
    })),
    segments: [...(segments ?? content.segments)],
  };
  return checkProject(body, { nowMs, toleranceMs: LIMITS.startDateToleranceMs, isPut });
}
