import * as z from 'zod/mini';
import type { PublishedEvent } from '../contract/event.ts';
import { Problem } from '../contract/problem.ts';
import { decodeText } from '../service/encoded-text.ts';
import type { CallContext, ProjectReads, SegmentsPage } from '../service/port.ts';
import { nextTurn } from '../service/turn.ts';

/** The fields of a project that a mapping gets. */
export interface ResultProject {
  readonly id: number;
  readonly customId: string | null;
  readonly name: string | null;
  readonly sourceLanguageCode: string | null;
}

/** Reads what is sent to destinations. */
export interface ResultReads extends Pick<ProjectReads, 'segments'> {
  /** Reads the fields of a project; `undefined` if the project does not exist. */
  project(companyId: string, projectId: number): Promise<ResultProject | undefined>;
}

/** The largest input of a mapping as JSON, in bytes. A mapping has 64 MiB of memory, and needs several times its input. */
export const MAX_INPUT_BYTES = 8_388_608;
/** The size from which an input is large. Only one of them is read and mapped at a time. */
const LARGE_BYTES = 1_048_576;
/** The segments on one page of the reading. */
const PAGE = { limit: 500, maxBytes: 1_048_576, isGzip: false } as const;
/** How often the segments are read anew if the project changes meanwhile. */
const MAX_READS = 3;

/** The fields of an entry of the answer to `segments` that a mapping gets. */
const Entries = z.array(
  z.object({
    source: z.object({
      id: z.int(),
      customId: z.optional(z.nullable(z.string())),
      taskId: z.optional(z.nullable(z.string())),
      content: z.string(),
    }),
    translations: z.array(z.object({ content: z.nullable(z.string()), status: z.string() })),
  }),
);

/** Why there is no input. `changing`: the project changed while it was read, again and again. `busy`: other large inputs took all of the time. */
type Unread = 'project-deleted' | 'language-removed' | 'too-large' | 'content-lost' | 'changing' | 'busy';

/** The input of a mapping as JSON, or why there is none. */
export type ReadInput = { readonly kind: 'input'; readonly json: string } | { readonly kind: Unread };

/** What is called while an input is read. */
export interface OnRead {
  /** Called before the segments are read, with the input without them. @returns the field `fetched` as JSON, if there is one */
  readonly readPage?: (json: string) => Promise<string | undefined>;
  /**
   * Called at each start of a reading, which may begin again; makes the function that is called for each translation, and
   * returns whether it has changed.
   */
  readonly start: () => Promise<(segmentId: number, translation: string | null) => boolean>;
  /** Called before a large input is read on. */
  readonly large?: () => Promise<void>;
}

/**
 * Reads the input of a mapping for an event: the project, and the segments of the event's language.
 * @throws {Problem} `unavailable`
 */
export async function readInput(
  reads: ResultReads,
  event: PublishedEvent,
  call: CallContext,
  { readPage = async () => undefined, start, large = async () => {} }: OnRead,
): Promise<ReadInput> {
  const { projectId, languageId, languageCode } = event.data;
  if (event.type === 'project.deleted')
    return { kind: 'input', json: inputOf(headOf(event, GONE(projectId), null), []) };
  const project = await reads.project(call.companyId, projectId);
  if (!project) return { kind: 'project-deleted' };
  const language = languageId === undefined || languageCode === undefined ? null : { languageId, languageCode };
  const known = headOf(event, project, language);
  const fetched = await readPage(inputOf(known, []));
  const head = fetched === undefined ? known : `${known},"fetched":${fetched}`;
  if (!language) return { kind: 'input', json: inputOf(head, []) };
  for (let read = 0; read < MAX_READS; read++) {
    const isChanged = await start();
    const wanted = { projectId, languageCode: language.languageCode, bytes: Buffer.byteLength(head) };
    const segments = await readSegments(reads, wanted, call, { isChanged, large });
    if (segments === 'changing') continue;
    if (typeof segments === 'string') return { kind: segments };
    return { kind: 'input', json: inputOf(head, segments) };
  }
  return { kind: 'changing' };
}

/** What is known of a deleted project. */
const GONE = (id: number): ResultProject => ({ id, customId: null, name: null, sourceLanguageCode: null });

/** Returns the beginning of an input, to which `inputOf` adds the segments. */
function headOf(
  event: PublishedEvent,
  project: ResultProject,
  language: { readonly languageId: number; readonly languageCode: string } | null,
): string {
  return JSON.stringify({ event, project, language }).slice(0, -1);
}

function inputOf(head: string, segments: readonly string[]): string {
  return `${head},"segments":[${segments.join(',')}]}`;
}

interface Wanted {
  readonly projectId: number;
  readonly languageCode: string;
  /** The bytes of the input without segments. */
  readonly bytes: number;
}

/** Reads the segments page by page, each as JSON. */
async function readSegments(
  { segments }: ResultReads,
  { projectId, languageCode, bytes: first }: Wanted,
  call: CallContext,
  { isChanged, large }: { readonly isChanged: Awaited<ReturnType<OnRead['start']>> } & Required<Pick<OnRead, 'large'>>,
): Promise<string[] | Unread> {
  const texts: string[] = [];
  let bytes = first;
  let after: SegmentsPage['next'];
  let isLarge = false;
  do {
    let page: SegmentsPage;
    try {
      page = await segments({ id: projectId }, { ...PAGE, languageCode, after }, call);
    } catch (error) {
      return missing(error);
    }
    const json: unknown = JSON.parse(Buffer.from(decodeText(page.json)).toString());
    await nextTurn();
    for (const { source, translations } of Entries.parse(json)) {
      const { id, customId = null, taskId = null, content } = source;
      const [{ content: translation = null, status = 'untranslated' } = {}] = translations;
      const changed = isChanged(id, translation);
      const text = JSON.stringify({ id, customId, taskId, content, translation, status, changed });
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > MAX_INPUT_BYTES) return 'too-large';
      texts.push(text);
      if (texts.length % IN_TURN === 0) await nextTurn();
    }
    after = page.next;
    if (!isLarge && bytes > LARGE_BYTES) {
      isLarge = true;
      await large();
      if (call.deadline.remainingMs() <= 0) return 'busy';
    }
  } while (after);
  return texts;
}

/** How many segments are written before other requests run. */
const IN_TURN = 200;

/** Returns why the segments of a language cannot be read. @throws the error, if it says nothing of the project */
function missing(error: unknown): Unread {
  const name = error instanceof Problem ? error.name : undefined;
  if (name === 'project-not-found') return 'project-deleted';
  if (name === 'invalid-parameter') return 'language-removed';
  if (name === 'not-acceptable') return 'too-large';
  if (name === 'page-outdated') return 'changing';
  if (name === 'content-lost') return name;
  throw error;
}
