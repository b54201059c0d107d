import { isDeepStrictEqual } from 'node:util';
import { utc } from '../../../lib/contract/date.ts';
import type { LanguageState } from '../../../lib/contract/language-states.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { TRANSLATION_STATUSES, type TranslationStatus } from '../../../lib/contract/translation-status.ts';
import type { PutCounts } from '../../../lib/service/put.ts';
import type { Body, Command, Company, Entry, PutBody, PutSegment, Ref } from './commands.ts';

/** A project in an answer, with the fields that the model checks. */
export interface View {
  readonly id: number;
  readonly customId?: string;
  readonly taskId?: string;
  readonly segments: readonly SegmentView[];
  readonly language: LanguageView;
}

/** What a put did, and the project as it now stands. */
export type PutView =
  | { readonly outcome: 'outdated'; readonly revision: number }
  | { readonly outcome: string; readonly segments: PutCounts['segments']; readonly project: View | undefined };

interface SegmentView {
  /** The number of the segment, which is its custom id. */
  readonly segment: number;
  readonly content: string;
  readonly taskId?: string;
}

/** The target language of a project. Each project of the model has the same one. */
export interface LanguageView {
  readonly state: LanguageState;
  readonly progress: number;
}

/** A translation in an answer. */
export interface TranslationView {
  readonly segment: number;
  readonly content: string | null;
  readonly status: TranslationStatus;
  readonly version: number;
  readonly isOutdated: boolean;
}

/** The result of a command. */
export type Answer =
  | { readonly is: 'done' | 'replayed'; readonly value: unknown }
  | { readonly is: 'refused'; readonly problem: ProblemType; readonly deletedAtUtc?: string };

/** A segment, whose key stays when a put gives it another number. */
interface Segment extends SegmentView {
  readonly key: number;
}

interface Known {
  readonly company: Company;
  isAutomatic: boolean;
  /** The translations by the keys of their segments. */
  readonly translations: Map<number, Translated>;
  view: Omit<View, 'language' | 'segments'> & { readonly segments: readonly Segment[] };
  state: LanguageState;
  /** Whether the worker has moved translations to their place. */
  hasTranslations: boolean;
  deletedAtMs?: number;
}

/** The request that used a key, and its answer. */
interface Used {
  readonly meaning: unknown;
  readonly untilMs: number;
  readonly answer: Answer;
  /** What a retry gets from the project that the request created or changed; absent for a deletion. */
  readonly current?: Current | undefined;
}

type Translated = Omit<TranslationView, 'segment'>;

/** The last revision of a project. */
interface Revision {
  readonly revision: number;
  readonly isDeleted: boolean;
  readonly untilMs: number;
}

interface Current {
  readonly known: Known;
  readonly value: () => unknown;
}

/** An answer, with what a retry gets. */
interface Worked {
  readonly answer: Answer;
  readonly current?: Current;
}

const DAY_MS = 86_400_000;
const KEY_MS = 7 * DAY_MS;
const TOMBSTONE_MS = 30 * DAY_MS;

const done = (value: unknown): Answer => ({ is: 'done', value });
const refused = (problem: ProblemType, deletedAtMs?: number): Answer => ({
  is: 'refused',
  problem,
  ...(deletedAtMs !== undefined && { deletedAtUtc: utc(deletedAtMs) }),
});

/** A model of the whole service, written from the contract: without a store, crashes or races. */
export class Truth {
  readonly #ids: readonly number[];
  readonly #projects: Known[] = [];
  readonly #keys = new Map<string, Used>();
  readonly #revisions = new Map<string, Revision>();
  #segments = 0;

  /**
   * Creates a model without projects.
   * @param ids the ids of all projects so far, the one being created included as the last
   */
  constructor(ids: readonly number[]) {
    this.#ids = ids;
  }

  answer(command: Command, nowMs: number): Answer {
    switch (command.kind) {
      case 'create':
        return this.#runIdempotent(command, command.body, nowMs, () => this.#create(command, nowMs));
      case 'delete':
        return this.#runIdempotent(command, [command.ref, command.scope], nowMs, () => this.#delete(command, nowMs));
      case 'put': {
        const { ref, body, taskId, revision } = command;
        return this.#runIdempotent(command, [ref, body, taskId, revision], nowMs, () => this.#put(command, nowMs));
      }
      case 'write':
        return this.#runIdempotent(command, [command.ref, command.entries], nowMs, () => this.#write(command, nowMs));
      case 'language': {
        const { ref, code, state } = command;
        return this.#runIdempotent(command, [ref, code, state], nowMs, () => this.#change(command, nowMs));
      }
      case 'get':
      case 'segments':
      case 'progress':
        return this.#read(command, nowMs);
      case 'operation':
        return this.#operation(command, nowMs);
      case 'list':
        return done(this.#liveOf(command.company).map((known) => ({ id: known.view.id, language: languageOf(known) })));
      case 'work':
        for (const known of this.#projects) {
          translate(known);
          known.hasTranslations ||= known.translations.size > 0 && known.view.segments.length > 0;
        }
    }
    return done(undefined);
  }

  /** Returns how many payloads the store has of a company: the projects, and the translations of each that had any. */
  payloads(company: Company): number {
    return this.#liveOf(company).reduce((sum, { hasTranslations }) => sum + (hasTranslations ? 2 : 1), 0);
  }

  #runIdempotent(
    { kind, company, key }: Extract<Command, { readonly key: string | undefined }>,
    content: unknown,
    nowMs: number,
    work: () => Worked,
  ): Answer {
    if (key === undefined) return work().answer;
    const meaning = [kind, content];
    const used = this.#keys.get(`${company} ${key}`);
    if (used && used.untilMs > nowMs) return this.#replay(used, meaning);
    const worked = work();
    if (worked.answer.is !== 'refused')
      this.#keys.set(`${company} ${key}`, { meaning, untilMs: nowMs + KEY_MS, ...worked });
    return worked.answer;
  }

  #operation({ company, key }: Extract<Command, { kind: 'operation' }>, nowMs: number): Answer {
    const used = this.#keys.get(`${company} ${key}`);
    if (!used || used.untilMs <= nowMs) return refused('operation-not-found');
    const replay = this.#replay(used, used.meaning);
    if (replay.is === 'refused') return done({ status: 'done', result: replay });
    const { project = replay.value } = Object(replay.value);
    return done({ status: 'done', result: project });
  }

  #replay({ meaning, answer, current }: Used, requested: unknown): Answer {
    if (current?.known.deletedAtMs !== undefined) return refused('project-deleted', current.known.deletedAtMs);
    if (!isDeepStrictEqual(meaning, requested)) return refused('idempotency-key-reused');
    return { is: 'replayed', value: current ? current.value() : answer.is === 'done' && answer.value };
  }

  #create({ company, body }: Extract<Command, { kind: 'create' }>, nowMs: number): Worked {
    if (body.customId !== undefined && this.#find(company, { customId: body.customId })) {
      return { answer: refused('custom-id-in-use') };
    }
    const segments = body.segments.map((one, segment) => ({ segment, ...one }));
    const known = this.#make(company, { ...body, segments }, nowMs);
    return changed(known, () => viewOf(known));
  }

  #make(company: Company, body: PutBody & Pick<Body, 'customId'>, nowMs: number): Known {
    const { automatic: isAutomatic = false, ...fields } = body;
    const segments = body.segments.map((one) => ({ ...one, key: ++this.#segments }));
    const view = { ...fields, segments, id: this.#ids.at(-1) ?? 0 };
    const known: Known = {
      company,
      isAutomatic,
      translations: new Map(),
      view,
      state: 'InProgress',
      hasTranslations: false,
    };
    this.#projects.push(known);
    this.#keep(revisionName(company, view.customId, view.id), nowMs);
    return known;
  }

  #put({ company, ref, body, taskId, revision, mayRemove }: Extract<Command, { kind: 'put' }>, nowMs: number): Worked {
    const known = this.#find(company, ref);
    const customId = 'customId' in ref ? ref.customId : known?.view.customId;
    const name = revisionName(company, customId, known?.view.id);
    if (!known && (customId === undefined || taskId !== undefined))
      return { answer: this.#missing(company, ref, nowMs) };
    const last = this.#lastOf(name, nowMs);
    if (last && revision !== undefined && (last.isDeleted ? revision <= last.revision : revision < last.revision))
      return { answer: done({ outcome: 'outdated', revision: last.revision } satisfies PutView) };
    if (!known) {
      const segments = { kept: 0, changed: 0, added: body.segments.length, removed: 0 };
      const made = this.#make(company, { ...body, ...(customId !== undefined && { customId }) }, nowMs);
      this.#remember(name, revision);
      return changed(made, () => ({ outcome: 'create', segments, project: viewOf(made) }) satisfies PutView);
    }
    const { view } = known;
    const compared = taskId === undefined ? view.segments : ofTask(view, taskId);
    const ownTask = taskId === undefined ? body.taskId : view.taskId;
    const wanted = body.segments.map((one) =>
      taskId === undefined || taskId === view.taskId ? one : { ...one, taskId },
    );
    const matched = match(compared, view.taskId, wanted, ownTask);
    const own = wanted.map((one, n): Segment => ({ ...one, key: matched[n]?.key ?? ++this.#segments }));
    const changes = own.filter((one, n) => matched[n] && matched[n].content !== one.content);
    const added = matched.filter((old) => !old).length;
    const removed = compared.length - (own.length - added);
    if (removed > 0 && !mayRemove) return { answer: refused('scope-missing') };
    const place = taskId === undefined ? 0 : view.segments.findIndex((one) => compared.includes(one));
    const others = view.segments.map((one) => (compared.includes(one) ? undefined : one));
    const before = others.slice(0, place < 0 ? others.length : place);
    const next = [...before, ...own, ...others.slice(before.length)].filter((one) => one !== undefined);
    const { segments: _, taskId: __, ...fields } = view;
    const after = { ...fields, ...(ownTask !== undefined && { taskId: ownTask }), segments: next };
    const isAutomatic = taskId === undefined ? (body.automatic ?? false) : known.isAutomatic;
    const isUnchanged = isDeepStrictEqual(after, view) && isAutomatic === known.isAutomatic;
    for (const { key } of changes) outdate(known, key);
    known.view = after;
    known.isAutomatic = isAutomatic;
    this.#remember(name, revision);
    const kept = next.length - added - changes.length;
    const segments = { kept, changed: changes.length, added, removed };
    const outcome = isUnchanged ? 'unchanged' : 'update';
    return changed(known, () => ({ outcome, segments, project: viewOf(known) }) satisfies PutView);
  }

  #lastOf(name: string, nowMs: number): Revision | undefined {
    const last = this.#revisions.get(name);
    return last && last.untilMs > nowMs ? last : undefined;
  }

  /** Keeps the last revision of a custom id for as long as a project has the custom id again. */
  #keep(name: string, nowMs: number): void {
    const last = this.#lastOf(name, nowMs);
    if (last) this.#revisions.set(name, { ...last, untilMs: Number.POSITIVE_INFINITY });
  }

  /** Remembers the revision of a put. */
  #remember(name: string, revision: number | undefined): void {
    if (revision === undefined) return;
    this.#revisions.set(name, { revision, isDeleted: false, untilMs: Number.POSITIVE_INFINITY });
  }

  /** Remembers a deletion. Returns `false` if it comes too late. */
  #rememberDeletion(name: string, revision: number | undefined, nowMs: number): boolean {
    const last = this.#lastOf(name, nowMs);
    if (last && revision !== undefined && revision < last.revision) return false;
    if (!last && revision === undefined) return true;
    const highest = Math.max(last?.revision ?? 0, revision ?? 0);
    this.#revisions.set(name, { revision: highest, isDeleted: true, untilMs: nowMs + TOMBSTONE_MS });
    return true;
  }

  #read(
    { kind, company, ref, taskId }: Extract<Command, { readonly taskId: string | undefined }>,
    nowMs: number,
  ): Answer {
    const known = this.#find(company, ref);
    if (!known) return this.#missing(company, ref, nowMs);
    const { view } = known;
    const segments = taskId === undefined ? view.segments : ofTask(view, taskId);
    if (taskId !== undefined && segments.length === 0 && view.taskId !== taskId) return refused('task-not-found');
    if (kind === 'get') return done({ ...viewOf(known), segments: segments.map(shownOf) });
    if (kind === 'segments') return done(segments.map((segment) => translationOf(known, segment)));
    const total = progressOf(known, segments);
    const tasks = new Set([view.taskId, ...view.segments.map((one) => one.taskId ?? view.taskId)]);
    const shown = [...tasks].filter((id) => id !== undefined && (taskId === undefined || id === taskId));
    return done({
      total,
      language: total,
      tasks: shown.map((id = '') => ({ taskId: id, total: progressOf(known, ofTask(view, id)) })),
    });
  }

  #delete({ company, ref, scope }: Extract<Command, { kind: 'delete' }>, nowMs: number): Worked {
    const known = this.#find(company, ref);
    const revision = scope.kind === 'project' ? scope.revision : undefined;
    if (!known) {
      const isRemembered = revision !== undefined && 'customId' in ref;
      const name = isRemembered ? revisionName(company, ref.customId, undefined) : '';
      const isLate = isRemembered && !this.#rememberDeletion(name, revision, nowMs);
      return { answer: isLate ? refused('revision-outdated') : this.#missing(company, ref, nowMs) };
    }
    const { id, customId = null, taskId: own, segments } = known.view;
    const receipt = { projectId: id, customId, deletedAtUtc: utc(nowMs), scope: scope.kind };
    if (scope.kind === 'project') {
      const name = revisionName(company, known.view.customId, id);
      if (!this.#rememberDeletion(name, revision, nowMs)) return { answer: refused('revision-outdated') };
      known.deletedAtMs = nowMs;
      const tasks = new Set([own, ...segments.map(({ taskId }) => taskId)].filter((task) => task !== undefined));
      const removed = { targetLanguages: 1, segments: segments.length, tasks: tasks.size };
      return { answer: done({ ...receipt, taskId: null, removed }) };
    }
    const { taskId } = scope;
    const gone = ofTask(known.view, taskId);
    if (gone.length === 0 && own !== taskId) return { answer: refused('task-not-found') };
    const { taskId: _, ...rest } = known.view;
    const left = segments.filter((segment) => !gone.includes(segment));
    known.view = { ...rest, ...(own !== undefined && own !== taskId && { taskId: own }), segments: left };
    const removed = { targetLanguages: 0, segments: gone.length, tasks: 1 };
    return { answer: done({ ...receipt, taskId, removed }) };
  }

  #write({ company, ref, entries }: Extract<Command, { kind: 'write' }>, nowMs: number): Worked {
    const known = this.#find(company, ref);
    if (!known) return { answer: this.#missing(company, ref, nowMs) };
    // The put of a task may give a segment a number that a segment of another task has.
    const own = ({ segment }: Entry) => {
      const [only, ...others] = known.view.segments.filter((one) => one.segment === segment);
      return others.length === 0 ? only : undefined;
    };
    const isUnique = new Set(entries.map(({ segment }) => segment)).size === entries.length;
    if (!isUnique || !entries.every(own)) return { answer: refused('invalid-translations') };
    const keys = entries.map((entry) => own(entry)?.key ?? 0);
    const before = keys.map((key) => translatedOf(known, key));
    const isCurrent = ({ ifVersion }: Entry, n: number) => ifVersion === undefined || ifVersion === before[n]?.version;
    if (!entries.every(isCurrent)) return { answer: refused('translation-changed') };
    const isLower = ({ status }: Entry, n: number) => rankOf(status) < rankOf(before[n]?.status ?? 'untranslated');
    if (entries.some((entry, n) => isLower(entry, n) && !entry.reopen))
      return { answer: refused('invalid-translations') };
    for (const [n, { content, status }] of entries.entries()) {
      const version = (before[n]?.version ?? 0) + 1;
      known.translations.set(keys[n] ?? 0, { content, status, version, isOutdated: false });
    }
    return changed(known, () =>
      known.view.segments.length === 0
        ? []
        : keys
            .flatMap((key) => known.view.segments.filter((one) => one.key === key))
            .map((one) => translationOf(known, one)),
    );
  }

  #change({ company, ref, code, state }: Extract<Command, { kind: 'language' }>, nowMs: number): Worked {
    const known = this.#find(company, ref);
    if (!known) return { answer: this.#missing(company, ref, nowMs) };
    if (code !== 'de-DE') return { answer: refused('language-not-found') };
    known.state = state;
    return changed(known, () => languageOf(known));
  }

  /** Returns the projects of a company, newest first. */
  #liveOf(company: Company): Known[] {
    return this.#projects.filter((known) => known.company === company && known.deletedAtMs === undefined).reverse();
  }

  #find(company: Company, ref: Ref): Known | undefined {
    return this.#liveOf(company).find((known) => this.#isNamed(known, ref));
  }

  #isNamed({ view: { id, customId } }: Known, ref: Ref): boolean {
    return 'made' in ref ? this.#ids[ref.made] === id : customId === ref.customId;
  }

  #missing(company: Company, ref: Ref, nowMs: number): Answer {
    const last = this.#projects
      .filter((known) => known.company === company && this.#isNamed(known, ref))
      .reduce((latest, { deletedAtMs = 0 }) => Math.max(latest, deletedAtMs), 0);
    return refused('project-not-found', last + TOMBSTONE_MS > nowMs ? last : undefined);
  }
}

/** Returns the segments of a task: those with its id, and if it is the project's own task, those without one. */
function ofTask({ taskId: own, segments }: Known['view'], taskId: string) {
  return segments.filter((segment) => (segment.taskId ?? own) === taskId);
}

/** What a request answers that created or changed a project, and what a retry gets. */
function changed(known: Known, value: () => unknown): Worked {
  return { answer: done(value()), current: { known, value } };
}

function viewOf(known: Known): View {
  return { ...known.view, segments: known.view.segments.map(shownOf), language: languageOf(known) };
}

function shownOf({ key: _, ...segment }: Segment): SegmentView {
  return segment;
}

function languageOf(known: Known): LanguageView {
  const { segments } = known.view;
  return { state: known.state, progress: progressOf(known, segments) };
}

function translatedOf({ translations }: Known, key: number): Translated {
  return translations.get(key) ?? { content: null, status: 'untranslated', version: 0, isOutdated: false };
}

function translationOf(known: Known, { key, segment }: Segment): TranslationView {
  return { segment, ...translatedOf(known, key) };
}

/** Translates what an engine may translate, into capital letters. */
function translate(known: Known): void {
  if (!known.isAutomatic || known.state !== 'InProgress' || known.deletedAtMs !== undefined) return;
  for (const { key, content } of known.view.segments) {
    const { status, version } = translatedOf(known, key);
    if (status !== 'untranslated') continue;
    const next = {
      content: content.toUpperCase(),
      status: 'automatic',
      version: version + 1,
      isOutdated: false,
    } as const;
    known.translations.set(key, next);
  }
}

/** What another content of a segment does to its translation: that of a person stays as a draft. */
function outdate(known: Known, key: number): void {
  const before = translatedOf(known, key);
  const version = before.version + 1;
  if (before.status === 'untranslated' || (before.status === 'draft' && before.isOutdated)) return;
  const gone = { content: null, status: 'untranslated', version, isOutdated: false } as const;
  const draft = { content: before.content, status: 'draft', version, isOutdated: true } as const;
  known.translations.set(key, before.status === 'automatic' ? gone : draft);
}

/** Finds the segment that each segment of a put was before: by number, then by content in its task, then by content. */
function match(
  before: readonly Segment[],
  taskBefore: string | undefined,
  after: readonly PutSegment[],
  taskAfter: string | undefined,
): (Segment | undefined)[] {
  const free = new Set(before);
  const matched: (Segment | undefined)[] = after.map(() => undefined);
  const rules: ((old: Segment, one: PutSegment) => boolean)[] = [
    (old, one) => old.segment === one.segment && before.filter(({ segment }) => segment === one.segment).length === 1,
    (old, one) => old.content === one.content && (old.taskId ?? taskBefore) === (one.taskId ?? taskAfter),
    (old, one) => old.content === one.content,
  ];
  for (const isSame of rules) {
    for (const [n, one] of after.entries()) {
      const old = matched[n] ?? [...free].find((each) => isSame(each, one));
      matched[n] = old;
      if (old) free.delete(old);
    }
  }
  return matched;
}

/** Names a project as its revisions do: by its custom id, or by its id. */
function revisionName(company: Company, customId: string | undefined, id: number | undefined): string {
  return customId === undefined ? `${company} id ${id}` : `${company} custom id ${customId}`;
}

/** Returns how many of some segments have a final translation, as a percentage rounded down. */
function progressOf(known: Known, segments: readonly Segment[]): number {
  const from = rankOf(known.isAutomatic ? 'automatic' : 'translated');
  const final = segments.filter(({ key }) => rankOf(translatedOf(known, key).status) >= from);
  return segments.length === 0 ? 100 : Math.floor((final.length / segments.length) * 100);
}

function rankOf(status: TranslationStatus): number {
  return TRANSLATION_STATUSES.indexOf(status);
}
