import { isDeepStrictEqual } from 'node:util';
import { utc } from '../../../lib/contract/date.ts';
import type { LanguageState } from '../../../lib/contract/language-states.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { TRANSLATION_STATUSES, type TranslationStatus } from '../../../lib/contract/translation-status.ts';
import type { Command, Company, Entry, Ref } from './commands.ts';

/** A project in an answer, with the fields that the model checks. */
export interface View {
  readonly id: number;
  readonly customId?: string;
  readonly taskId?: string;
  readonly segments: readonly SegmentView[];
  readonly language: LanguageView;
}

interface SegmentView {
  /** The index of the segment in the project as it was created. */
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
}

/** The result of a command. */
export type Answer =
  | { readonly is: 'done' | 'replayed'; readonly value: unknown }
  | { readonly is: 'refused'; readonly problem: ProblemType; readonly deletedAtUtc?: string };

interface Known {
  readonly company: Company;
  readonly isAutomatic: boolean;
  readonly translations: Map<number, TranslationView>;
  view: Omit<View, 'language'>;
  state: LanguageState;
  /** Whether all segments have a final translation, or had one while there were segments. */
  isCompleted: boolean;
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
        return this.#runIdempotent(command, command.body, nowMs, () => this.#create(command));
      case 'delete':
        return this.#runIdempotent(command, [command.ref, command.scope], nowMs, () => this.#delete(command, nowMs));
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
        for (const known of this.#projects) translate(known);
    }
    return done(undefined);
  }

  /** Returns how many payloads the store has of a company: the projects, and the translations of each that has any. */
  payloads(company: Company): number {
    return this.#liveOf(company).reduce((sum, { translations }) => sum + (translations.size > 0 ? 2 : 1), 0);
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
    return done({ status: 'done', result: replay.is === 'refused' ? replay : replay.value });
  }

  #replay({ meaning, answer, current }: Used, requested: unknown): Answer {
    if (current?.known.deletedAtMs !== undefined) return refused('project-deleted', current.known.deletedAtMs);
    if (!isDeepStrictEqual(meaning, requested)) return refused('idempotency-key-reused');
    return { is: 'replayed', value: current ? current.value() : answer.is === 'done' && answer.value };
  }

  #create({ company, body }: Extract<Command, { kind: 'create' }>): Worked {
    if (body.customId !== undefined && this.#find(company, { customId: body.customId })) {
      return { answer: refused('custom-id-in-use') };
    }
    const { automatic: isAutomatic = false, ...fields } = body;
    const segments = body.segments.map((one, segment) => ({ segment, ...one }));
    const view = { ...fields, segments, id: this.#ids.at(-1) ?? 0 };
    const known: Known = {
      company,
      isAutomatic,
      translations: new Map(),
      view,
      state: 'InProgress',
      isCompleted: false,
    };
    this.#projects.push(known);
    return changed(known, () => viewOf(known));
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
    if (kind === 'get') return done({ ...viewOf(known), segments });
    if (kind === 'segments') return done(segments.map(({ segment }) => translationOf(known, segment)));
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
    if (!known) return { answer: this.#missing(company, ref, nowMs) };
    const { id, customId = null, taskId: own, segments } = known.view;
    const receipt = { projectId: id, customId, deletedAtUtc: utc(nowMs), scope: scope.kind };
    if (scope.kind === 'project') {
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
    complete(known);
    const removed = { targetLanguages: 0, segments: gone.length, tasks: 1 };
    return { answer: done({ ...receipt, taskId, removed }) };
  }

  #write({ company, ref, entries }: Extract<Command, { kind: 'write' }>, nowMs: number): Worked {
    const known = this.#find(company, ref);
    if (!known) return { answer: this.#missing(company, ref, nowMs) };
    const isKnown = ({ segment }: Entry) => known.view.segments.some((one) => one.segment === segment);
    const isUnique = new Set(entries.map(({ segment }) => segment)).size === entries.length;
    if (!isUnique || !entries.every(isKnown)) return { answer: refused('invalid-translations') };
    const before = (entry: Entry) => translationOf(known, entry.segment);
    const isCurrent = (entry: Entry) => entry.ifVersion === undefined || entry.ifVersion === before(entry).version;
    if (!entries.every(isCurrent)) return { answer: refused('translation-changed') };
    const isLower = (entry: Entry) => rankOf(entry.status) < rankOf(before(entry).status);
    if (entries.some((entry) => isLower(entry) && !entry.reopen)) return { answer: refused('invalid-translations') };
    for (const entry of entries) {
      const { segment, content, status } = entry;
      known.translations.set(segment, { segment, content, status, version: before(entry).version + 1 });
    }
    complete(known);
    return changed(known, () => entries.filter(isKnown).map(before));
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
  return { ...known.view, language: languageOf(known) };
}

function languageOf(known: Known): LanguageView {
  const { segments } = known.view;
  return { state: known.state, progress: progressOf(known, segments) };
}

function translationOf({ translations }: Known, segment: number): TranslationView {
  return translations.get(segment) ?? { segment, content: null, status: 'untranslated', version: 0 };
}

/** Translates what an engine may translate, into capital letters. */
function translate(known: Known): void {
  if (!known.isAutomatic || known.state !== 'InProgress' || known.deletedAtMs !== undefined) return;
  for (const { segment, content } of known.view.segments) {
    if (known.translations.has(segment)) continue;
    known.translations.set(segment, { segment, content: content.toUpperCase(), status: 'automatic', version: 1 });
  }
  complete(known);
}

function complete(known: Known): void {
  const { segments } = known.view;
  if (segments.length > 0) known.isCompleted = progressOf(known, segments) === 100;
}

/** Returns how many of some segments have a final translation, as a percentage rounded down. */
function progressOf(known: Known, segments: readonly SegmentView[]): number {
  const from = rankOf(known.isAutomatic ? 'automatic' : 'translated');
  const final = segments.filter(({ segment }) => rankOf(translationOf(known, segment).status) >= from);
  return segments.length === 0 ? 100 : Math.floor((final.length / segments.length) * 100);
}

function rankOf(status: TranslationStatus): number {
  return TRANSLATION_STATUSES.indexOf(status);
}
