import { isDeepStrictEqual } from 'node:util';
import { utc } from '../../../lib/contract/date.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { Body, Command, Company, Ref } from './commands.ts';

/** A project in an answer, with the fields that the model checks. */
export interface View extends Body {
  readonly id: number;
}

/** The result of a command. */
export type Answer =
  | { readonly is: 'done' | 'replayed'; readonly value: unknown }
  | { readonly is: 'refused'; readonly problem: ProblemType; readonly deletedAtUtc?: string };

interface Known {
  readonly company: Company;
  view: View;
  deletedAtMs?: number;
}

/** The request that used a key, and its answer. */
interface Used {
  readonly meaning: unknown;
  readonly untilMs: number;
  readonly answer: Answer;
  /** The project that the request created. */
  readonly created: Known | undefined;
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
      case 'get':
        return this.#get(command, nowMs);
      case 'operation':
        return this.#operation(command, nowMs);
      case 'list':
        return done(this.#liveOf(command.company).map(({ view }) => view.id));
      default:
        return done(undefined);
    }
  }

  /** Returns the number of a company's projects. */
  count(company: Company): number {
    return this.#liveOf(company).length;
  }

  #runIdempotent(
    { kind, company, key }: Extract<Command, { kind: 'create' | 'delete' }>,
    content: unknown,
    nowMs: number,
    work: () => Answer,
  ): Answer {
    if (key === undefined) return work();
    const meaning = [kind, content];
    const used = this.#keys.get(`${company} ${key}`);
    if (used && used.untilMs > nowMs && used.answer.is !== 'refused') return this.#replay(used, meaning);
    const answer = work();
    const created = kind === 'create' && answer.is === 'done' ? this.#projects.at(-1) : undefined;
    this.#keys.set(`${company} ${key}`, { meaning, untilMs: nowMs + KEY_MS, answer, created });
    return answer;
  }

  #operation({ company, key }: Extract<Command, { kind: 'operation' }>, nowMs: number): Answer {
    const used = this.#keys.get(`${company} ${key}`);
    if (!used || used.untilMs <= nowMs) return refused('operation-not-found');
    if (used.answer.is === 'refused') return done({ status: 'failed', result: refused(used.answer.problem) });
    const replay = this.#replay(used, used.meaning);
    return done({ status: 'done', result: replay.is === 'refused' ? replay : replay.value });
  }

  #replay({ meaning, answer, created }: Used, requested: unknown): Answer {
    if (created?.deletedAtMs !== undefined) return refused('project-deleted', created.deletedAtMs);
    if (!isDeepStrictEqual(meaning, requested)) return refused('idempotency-key-reused');
    return { is: 'replayed', value: created ? created.view : answer.is === 'done' && answer.value };
  }

  #create({ company, body }: Extract<Command, { kind: 'create' }>): Answer {
    if (body.customId !== undefined && this.#find(company, { customId: body.customId })) {
      return refused('custom-id-in-use');
    }
    const view = { ...body, id: this.#ids.at(-1) ?? 0 };
    this.#projects.push({ company, view });
    return done(view);
  }

  #get({ company, ref, taskId }: Extract<Command, { kind: 'get' }>, nowMs: number): Answer {
    const known = this.#find(company, ref);
    if (!known) return this.#missing(company, ref, nowMs);
    if (taskId === undefined) return done(known.view);
    const segments = ofTask(known.view, taskId);
    if (segments.length === 0 && known.view.taskId !== taskId) return refused('task-not-found');
    return done({ ...known.view, segments });
  }

  #delete({ company, ref, scope }: Extract<Command, { kind: 'delete' }>, nowMs: number): Answer {
    const known = this.#find(company, ref);
    if (!known) return this.#missing(company, ref, nowMs);
    const { id, customId = null, taskId: own, segments } = known.view;
    const receipt = { projectId: id, customId, deletedAtUtc: utc(nowMs), scope: scope.kind };
    if (scope.kind === 'project') {
      known.deletedAtMs = nowMs;
      const tasks = new Set([own, ...segments.map(({ taskId }) => taskId)].filter((task) => task !== undefined));
      const removed = { targetLanguages: 1, segments: segments.length, tasks: tasks.size };
      return done({ ...receipt, taskId: null, removed });
    }
    const { taskId } = scope;
    const gone = ofTask(known.view, taskId);
    if (gone.length === 0 && own !== taskId) return refused('task-not-found');
    const { taskId: _, ...rest } = known.view;
    const left = segments.filter((segment) => !gone.includes(segment));
    known.view = { ...rest, ...(own !== undefined && own !== taskId && { taskId: own }), segments: left };
    return done({ ...receipt, taskId, removed: { targetLanguages: 0, segments: gone.length, tasks: 1 } });
  }

  /** Returns the projects of a company, newest first. */
  #liveOf(company: Company): Known[] {
    return this.#projects.filter((known) => known.company === company && known.deletedAtMs === undefined).reverse();
  }

  #find(company: Company, ref: Ref): Known | undefined {
    return this.#liveOf(company).find(({ view }) => this.#isNamed(view, ref));
  }

  #isNamed({ id, customId }: View, ref: Ref): boolean {
    return 'made' in ref ? this.#ids[ref.made] === id : customId === ref.customId;
  }

  #missing(company: Company, ref: Ref, nowMs: number): Answer {
    const last = this.#projects
      .filter((known) => known.company === company && this.#isNamed(known.view, ref))
      .reduce((latest, { deletedAtMs = 0 }) => Math.max(latest, deletedAtMs), 0);
    return refused('project-not-found', last + TOMBSTONE_MS > nowMs ? last : undefined);
  }
}

/** Returns the segments of a task: those with its id, and if it is the project's own task, those without one. */
function ofTask({ taskId: own, segments }: View, taskId: string) {
  return segments.filter((segment) => (segment.taskId ?? own) === taskId);
}
