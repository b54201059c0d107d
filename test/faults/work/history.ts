import type { SegmentAnswer } from '../../../lib/contract/project-answer.ts';
import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';

/** A translation, as an answer shows it. */
export interface Shown {
  readonly languageId: number;
  readonly content: string | null;
  readonly status: TranslationStatus;
  readonly version: number;
}

/** A segment, as an answer shows it. */
export interface ShownSegment {
  readonly source: Pick<SegmentAnswer, 'id' | 'content' | 'taskId'>;
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

  /** Records that a write of a translation succeeded. */
  confirmed(place: string, { content, version }: Pick<Shown, 'content' | 'version'>): void {
    if (content === null || this.#sent.get(content)?.place !== place)
      this.complain(`${place} was confirmed as ${content}`);
    if (version > (this.#confirmed.get(place)?.version ?? 0)) this.#confirmed.set(place, { version, content });
    this.#count(place).confirmed++;
  }

  /** Returns what is confirmed now. A read that begins now must show at least that. */
  snapshot(): ReadonlyMap<string, Confirmed> {
    return new Map(this.#confirmed);
  }

  /** Checks a segment of an answer. @param before the snapshot from before the read */
  check(projectId: number, { source, translations }: ShownSegment, before: ReadonlyMap<string, Confirmed>): void {
    for (const { languageId, content, status, version } of translations) {
      const place = placeOf(projectId, source.id, languageId);
      const confirmed = before.get(place) ?? { version: 0, content: null };
      if (version < confirmed.version || (version === confirmed.version && content !== confirmed.content)) {
        this.complain(`${place} shows version ${version} after ${confirmed.version} was confirmed, or another content`);
      }
      if (content === null) {
        if (status !== 'untranslated' || version !== 0) this.complain(`${place} is ${status} without a content`);
      } else if (content === engineText(source.content)) {
        if (status !== 'automatic' || version !== 1)
          this.complain(`${place} is of the engine, and ${status} ${version}`);
      } else {
        const sent = this.#sent.get(content);
        if (sent?.place !== place || sent.status !== status) this.complain(`${place} shows ${content} as ${status}`);
      }
    }
  }

  /** Checks the version of a translation when all work is done: each confirmed request counts once, and no other twice. */
  checkVersion(place: string, version: number, isAutomatic: boolean): void {
    const { sent, confirmed } = this.#count(place);
    const most = sent + (isAutomatic ? 1 : 0);
    if (version < confirmed || version > most) {
      this.complain(`${place} has version ${version} after ${confirmed} to ${sent} writes`);
    }
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
