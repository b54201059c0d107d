import type { SegmentAnswer } from '../../../lib/contract/project-answer.ts';
import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';

/** A translation, as an answer shows it. */
export interface Shown {
  readonly languageId: number;
  readonly content: string | null;
  readonly status: TranslationStatus;
  readonly version: number;
  readonly outdated?: true;
}

/** A segment, as an answer shows it. */
export interface ShownSegment {
  readonly source: Pick<SegmentAnswer, 'id' | 'content' | 'customId' | 'taskId'>;
  readonly translations: readonly Shown[];
}

/** A translation that a person sent. No two have the same content. */
interface Sent {
  readonly place: string;
  readonly status: TranslationStatus;
}

/** A state of a translation that an answer confirmed. */
type Confirmed = Pick<Shown, 'content' | 'version'>;

/** What the clients of a world know: what they sent, and what the answers confirmed. */
export class History {
  readonly violations: string[] = [];
  readonly deleted = new Set<number>();
  readonly deletedTasks = new Set<string>();
  /** The tasks that a put may have brought back. */
  readonly revivedTasks = new Set<string>();
  /** The number of deletions of each task that were sent, and of those that were confirmed. */
  readonly taskDeletions = new Map<string, { sent: number; confirmed: number }>();
  /** The highest revision of each project that an answer confirmed. */
  readonly revisions = new Map<number, number>();
  /** The languages of projects that a put may have made managed, by the ids of both. */
  readonly managed = new Set<string>();
  /** The contents that were sent of each segment, by project and custom id. */
  readonly #contents = new Map<string, Set<string>>();
  /** The languages that a put may have removed. Their translations begin again. */
  readonly #removedLanguages = new Set<string>();
  readonly #puts = new Map<number, number>();
  readonly #sent = new Map<string, Sent>();
  /** The number of requests that wrote each translation, and of those that were confirmed. */
  readonly #requests = new Map<string, { sent: number; confirmed: number }>();
  /** The latest confirmed state of each translation. */
  readonly #confirmed = new Map<string, Confirmed>();

  complain(what: string): void {
    this.violations.push(what);
  }

  /** Records a translation before it is sent. */
  sending(place: string, content: string, status: TranslationStatus): void {
    this.#sent.set(content, { place, status });
    this.#count(place).sent++;
  }

  /** Records the content of a segment before it is sent. */
  sendingContent(projectId: number, customId: string, content: string): void {
    const name = `${projectId} ${customId}`;
    this.#contents.set(name, (this.#contents.get(name) ?? new Set()).add(content));
  }

  /** Records a put before it is sent. */
  sendingPut(projectId: number): void {
    this.#puts.set(projectId, (this.#puts.get(projectId) ?? 0) + 1);
  }

  removingLanguage(projectId: number, languageId: number): void {
    this.#removedLanguages.add(`${projectId} ${languageId}`);
  }

  /** Whether a segment has had one content only, so that its translations stay. */
  #isConstant(projectId: number, { source }: ShownSegment): boolean {
    return this.#contents.get(`${projectId} ${source.customId}`)?.size === 1;
  }

  #mayBegin(place: string): boolean {
    const [projectId, , languageId] = place.split('/');
    return this.#removedLanguages.has(`${projectId} ${languageId}`);
  }

  /** Records that a write of a translation succeeded. */
  confirmed(place: string, { content, version }: Pick<Shown, 'content' | 'version'>): void {
    const isLost = content === null && this.#mayBegin(place);
    if (!isLost && (content === null || this.#sent.get(content)?.place !== place))
      this.complain(`${place} was confirmed as ${content}`);
    if (version > (this.#confirmed.get(place)?.version ?? 0)) this.#confirmed.set(place, { version, content });
    this.#count(place).confirmed++;
  }

  /** Returns what is confirmed now. A read that begins now must show at least that. */
  snapshot(): ReadonlyMap<string, Confirmed> {
    return new Map(this.#confirmed);
  }

  /** Checks a segment of an answer. @param before the snapshot from before the read */
  check(projectId: number, segment: ShownSegment, before: ReadonlyMap<string, Confirmed>): void {
    const { source, translations } = segment;
    const isConstant = this.#isConstant(projectId, segment);
    if (!this.#contents.get(`${projectId} ${source.customId}`)?.has(source.content))
      this.complain(`${projectId}/${source.id} shows a content that nobody has sent`);
    for (const { languageId, content, status, version, outdated = false } of translations) {
      const place = placeOf(projectId, source.id, languageId);
      const confirmed = before.get(place) ?? { version: 0, content: null };
      const isOlder = version < confirmed.version || (version === confirmed.version && content !== confirmed.content);
      if (isOlder && !this.#mayBegin(place)) {
        this.complain(`${place} shows version ${version} after ${confirmed.version} was confirmed, or another content`);
      }
      if (outdated && (status !== 'draft' || isConstant)) this.complain(`${place} is outdated, and ${status}`);
      if (content === null) {
        if (status !== 'untranslated' || (isConstant && version !== 0))
          this.complain(`${place} is ${status} ${version} without a content`);
      } else if (content === engineText(source.content)) {
        if (status !== 'automatic' || (isConstant && version !== 1))
          this.complain(`${place} is of the engine, and ${status} ${version}`);
      } else {
        const sent = this.#sent.get(content);
        if (sent?.place !== place || (sent.status !== status && !outdated))
          this.complain(`${place} shows ${content} as ${status}`);
      }
    }
  }

  /**
   * Checks the version of a translation when all work is done: each confirmed request counts once, and no other twice.
   * A put that changes the content counts once more, and so does the engine then.
   */
  checkVersion(projectId: number, segment: ShownSegment, { languageId, version, content }: Shown): void {
    const place = placeOf(projectId, segment.source.id, languageId);
    const { sent, confirmed } = this.#count(place);
    // After a person wrote, nobody can see any more whether the engine had written before.
    const isAutomatic = content === engineText(segment.source.content) || version > 0;
    const puts = this.#isConstant(projectId, segment) ? 0 : (this.#puts.get(projectId) ?? 0);
    const most = sent + (isAutomatic ? 1 : 0) + 2 * puts;
    const isLow = version < confirmed && !this.#mayBegin(place);
    if (isLow || version > most) this.complain(`${place} has version ${version} after ${confirmed} to ${sent} writes`);
  }

  #count(place: string): { sent: number; confirmed: number } {
    const count = this.#requests.get(place) ?? { sent: 0, confirmed: 0 };
    this.#requests.set(place, count);
    return count;
  }
}

/** Returns the name of a translation. Projects of different processes may have the same segment ids. */
export function placeOf(projectId: number, segmentId: number, languageId: number): string {
  return `${projectId}/${segmentId}/${languageId}`;
}

/** Returns the translation of the engine of the simulation. */
export function engineText(content: string): string {
  return `engine: ${content}`;
}
