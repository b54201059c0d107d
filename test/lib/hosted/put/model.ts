import { expect } from 'vitest';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import type { PutResult } from '../../../../lib/service/put.ts';
import { asObjects, type JsonObject, segment } from '../../../support/projects.ts';
import { contentOf } from '../../../support/world.ts';
import { checked } from '../../support.ts';
import { WorkWorld } from '../work/world.ts';

/** A segment of a request. */
export interface SentSegment {
  readonly customId?: string;
  readonly content: string;
  readonly taskId?: string;
}

/** A target language of a request. */
export interface SentLanguage {
  readonly code: string;
  readonly isAutomatic: boolean;
}

/** What a put sends. */
export interface Sent {
  readonly segments: readonly SentSegment[];
  readonly languages: readonly SentLanguage[];
  readonly taskId?: string;
}

interface ModelTranslation {
  content: string | null;
  status: string;
  version: number;
  isOutdated: boolean;
}

interface ModelSegment extends SentSegment {
  readonly key: number;
  readonly translations: Map<string, ModelTranslation>;
}

const CUSTOM_ID = 'entry/1';
const PEOPLE = ['draft', 'translated', 'proofread'];
const untranslated = (): ModelTranslation => ({ content: null, status: 'untranslated', version: 0, isOutdated: false });

/**
 * A hosted project beside a model of it that says in few words what a put means. After each step, the project must be
 * what the model says.
 */
export class PutModel {
  readonly world = new WorkWorld();
  #segments: ModelSegment[] = [];
  #languages: readonly SentLanguage[] = [];
  #ownTask: string | undefined;
  #keys = 0;
  /** The id of the project's segments by the keys of the model. */
  readonly #ids = new Map<number, number>();
  #projectId: number | undefined;

  get size(): number {
    return this.#segments.length;
  }

  async put(sent: Sent): Promise<PutResult> {
    const body = checked({
      segments: sent.segments.map((each) => segment({ ...each })),
      targetLanguages: sent.languages.map(({ code, isAutomatic }) => ({
        targetLanguageCode: code,
        serviceAutomaticTranslation: isAutomatic,
      })),
      ...(sent.taskId !== undefined && { taskId: sent.taskId }),
    });
    const result = await this.world.service.put({ ref: { customId: CUSTOM_ID }, project: body }, this.world.call());
    if (result.outcome === 'outdated') throw new Error('A put without revision is never late');
    const counts = this.#change(sent);
    expect({ ...result.segments }).toEqual(counts);
    this.#projectId = result.projectId;
    await this.check(contentOf(await result.document()));
    return result;
  }

  /** Writes a translation of a segment, if the project has one at this place. */
  async translate(position: number, language: number, status: 'draft' | 'translated' | 'proofread'): Promise<void> {
    const [own, target] = [this.#segments[position % this.size], this.#languages[language % this.#languages.length]];
    if (!own || !target) return;
    const before = own.translations.get(target.code) ?? untranslated();
    const content = `${target.code} ${own.key} ${before.version + 1}`;
    const entry = { segmentId: this.#ids.get(own.key) ?? 0, languageCode: target.code, content, status, reopen: true };
    await this.world.service.writeTranslations({ customId: CUSTOM_ID }, checkTranslations([entry]), this.world.call());
    own.translations.set(target.code, { content, status, version: before.version + 1, isOutdated: false });
  }

  /** Lets the worker do all that is due: fold, remove what is stale, and translate. */
  async work(): Promise<void> {
    await this.world.workUntilDone();
    for (const { code, isAutomatic } of this.#languages) {
      if (!isAutomatic) continue;
      for (const { content, translations } of this.#segments) {
        const before = translations.get(code) ?? untranslated();
        if (before.status !== 'untranslated') continue;
        translations.set(code, {
          content: `${code}: ${content}`,
          status: 'automatic',
          version: before.version + 1,
          isOutdated: false,
        });
      }
    }
  }

  async deleteTask(taskId: string): Promise<void> {
    const isOf = (each: ModelSegment) => (each.taskId ?? this.#ownTask) === taskId;
    if (!this.#segments.some(isOf) && this.#ownTask !== taskId) return;
    await this.world.service.delete({ customId: CUSTOM_ID }, { kind: 'task', taskId }, this.world.call());
    this.#segments = this.#segments.filter((each) => !isOf(each));
    if (this.#ownTask === taskId) this.#ownTask = undefined;
  }

  /** Says what a put means, as the contract does. Returns the counts. */
  #change({ segments, languages, taskId }: Sent) {
    const [before, ownBefore] = [this.#segments, this.#ownTask];
    const free = new Set(before);
    const matched = new Map<number, ModelSegment>();
    const take = (index: number, found: ModelSegment | undefined) => {
      if (found && !matched.has(index)) {
        matched.set(index, found);
        free.delete(found);
      }
    };
    const once = <T extends SentSegment>(all: readonly T[], id: string | undefined) =>
      id === undefined || all.filter(({ customId }) => customId === id).length !== 1
        ? undefined
        : all.find(({ customId }) => customId === id);
    for (const [index, { customId }] of segments.entries()) {
      if (once(segments, customId)) take(index, once(before, customId));
    }
    for (const isAcross of [false, true]) {
      for (const [index, own] of segments.entries()) {
        if (matched.has(index)) continue;
        const fits = (each: ModelSegment) =>
          each.content === own.content &&
          (isAcross || (each.taskId ?? ownBefore ?? null) === (own.taskId ?? taskId ?? null));
        take(index, [...free].find(fits));
      }
    }
    const known = new Set(this.#languages.map(({ code }) => code));
    let changed = 0;
    this.#segments = segments.map((own, index) => {
      const old = matched.get(index);
      if (!old) return { ...own, key: ++this.#keys, translations: new Map() };
      const translations = new Map(
        [...old.translations].filter(([code]) => languages.some((each) => each.code === code)),
      );
      if (old.content !== own.content) {
        changed++;
        for (const translation of translations.values()) outdate(translation);
      }
      return { ...own, key: old.key, translations };
    });
    for (const { translations } of this.#segments) {
      for (const { code } of languages) if (!known.has(code)) translations.delete(code);
    }
    this.#languages = languages;
    this.#ownTask = taskId;
    const kept = matched.size - changed;
    return { kept, changed, added: segments.length - matched.size, removed: before.length - matched.size };
  }

  /** Checks that the project is what the model says. */
  async check(project?: JsonObject): Promise<void> {
    if (this.#projectId === undefined) return;
    const { world } = this;
    const shown = project ?? contentOf(await world.service.get({ id: this.#projectId }, undefined, world.call()));
    const plain = asObjects(shown['segments']).map(({ content, customId, taskId }) => ({ content, customId, taskId }));
    expect(plain).toEqual(this.#segments.map(({ content, customId, taskId }) => ({ content, customId, taskId })));
    for (const [index, { id }] of asObjects(shown['segments']).entries()) {
      const key = this.#segments[index]?.key ?? 0;
      // The id of a segment never changes.
      expect(this.#ids.get(key) ?? id).toBe(id);
      this.#ids.set(key, Number(id));
    }
    const pages = await world.segments(this.#projectId);
    const translations = pages.map(({ translations: all }) =>
      all.map(({ languageCode, content, status, version, ...others }) => ({
        languageCode,
        content,
        status,
        version,
        isOutdated: 'outdated' in others,
      })),
    );
    const expected = this.#segments.map(({ translations: own }) =>
      this.#languages.map(({ code }) => ({ languageCode: code, ...(own.get(code) ?? untranslated()) })),
    );
    expect(translations).toEqual(expected);
    this.#checkProgress(
      asObjects(
        contentOf(await world.service.get({ id: this.#projectId }, undefined, world.call()))['targetLanguages'],
      ),
    );
    for (const [index, page] of pages.entries()) {
      const { taskId } = this.#segments[index] ?? {};
      if (taskId === undefined || index % 3 > 0) continue;
      const ofTask = await world.segments(this.#projectId, { taskId });
      expect(ofTask.map(({ source }) => source.id)).toContain(page.source.id);
    }
  }

  #checkProgress(languages: readonly JsonObject[]): void {
    for (const [index, { code, isAutomatic }] of this.#languages.entries()) {
      const least = isAutomatic ? ['automatic', 'translated', 'proofread'] : ['translated', 'proofread'];
      const final = this.#segments.filter(({ translations }) => least.includes(translations.get(code)?.status ?? ''));
      const percent = this.size === 0 ? 100 : Math.floor((100 * final.length) / this.size);
      expect(languages[index]?.['progress']).toBe(percent);
    }
  }
}

/** What a new content of a segment does to its translation. */
function outdate(translation: ModelTranslation): void {
  const { status, isOutdated } = translation;
  if (status === 'untranslated' || (status === 'draft' && isOutdated)) return;
  translation.version++;
  if (PEOPLE.includes(status)) Object.assign(translation, { status: 'draft', isOutdated: true });
  else Object.assign(translation, { content: null, status: 'untranslated' });
}
