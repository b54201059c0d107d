import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { utc } from '../../../lib/contract/date.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import type { DeletionScope, OperationState } from '../../../lib/service/port.ts';
import type { JsonObject } from '../../support/projects.ts';

export const COMPANIES = ['one', 'two'] as const;
export type Company = (typeof COMPANIES)[number];

/** A project by its custom id, or by when it was made: the first of all companies' projects is 0. */
export type Ref = { readonly customId: string } | { readonly made: number };

interface Segment {
  readonly content: string;
  readonly taskId?: string;
}

/** What a project is asked to be, as far as the model looks. */
interface Body {
  readonly customId?: string;
  readonly taskId?: string;
  readonly segments: readonly Segment[];
}

/** What a client, an operator or the time may do. */
export type Command =
  | { readonly kind: 'create'; readonly company: Company; readonly body: Body; readonly key: string | undefined }
  | { readonly kind: 'get'; readonly company: Company; readonly ref: Ref; readonly taskId: string | undefined }
  | { readonly kind: 'list'; readonly company: Company }
  | {
      readonly kind: 'delete';
      readonly company: Company;
      readonly ref: Ref;
      readonly scope: DeletionScope;
      readonly key: string | undefined;
    }
  /** Asks what became of a request with a key. */
  | { readonly kind: 'ask'; readonly company: Company; readonly key: string }
  /** Another process takes over. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number };

/** Few of everything, so that requests meet each other, and names that are nearly equal. */
const company = fc.constantFrom<Company>('one', 'one', 'one', 'two');
const customId = fc.constantFrom('a', 'a', 'A', 'a/b', 'a%2Fb');
const taskId = fc.constantFrom('t', 't', 'T', '__proto__');
const someKey = fc.constantFrom('k', 'K', 'l');
const key = fc.option(someKey, { nil: undefined });
const ref = fc.oneof(
  customId.map((name): Ref => ({ customId: name })),
  fc.nat(3).map((made): Ref => ({ made })),
);
const scope = fc.oneof(
  { weight: 2, arbitrary: fc.constant<DeletionScope>({ kind: 'project' }) },
  { weight: 1, arbitrary: taskId.map((name): DeletionScope => ({ kind: 'task', taskId: name })) },
);
const segment = fc.record(
  { content: fc.constantFrom('x', 'y'), taskId },
  { requiredKeys: ['content'], noNullPrototype: true },
);
const freeBody = fc.record(
  { customId, taskId, segments: fc.array(segment, { minLength: 1, maxLength: 3 }) },
  { requiredKeys: ['segments'], noNullPrototype: true },
);
/** Bodies that come again and again, since those made up are hardly ever equal. */
const body: fc.Arbitrary<Body> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Body>(
      { segments: [{ content: 'x' }] },
      { customId: 'a', taskId: 't', segments: [{ content: 'x' }] },
    ),
  },
  { weight: 2, arbitrary: freeBody },
);

const DAY_MS = 86_400_000;
/** To the moment at which keys and tombstones are forgotten, and around it. */
const ms = fc.constantFrom(1, 1, 1, DAY_MS, DAY_MS, 7 * DAY_MS - 1, 7 * DAY_MS, 30 * DAY_MS - 1, 30 * DAY_MS);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('create' as const), company, body, key }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('get' as const),
      company,
      ref,
      taskId: fc.option(taskId, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('list' as const), company }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('delete' as const), company, ref, scope, key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), company, key: someKey }) },
  { weight: 1, arbitrary: fc.constant<Command>({ kind: 'restart' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms }) },
);

/** How many commands ago was what is sent again. */
interface Repetition {
  readonly kind: 'repeat';
  readonly back: number;
}
const repetition: fc.Arbitrary<Repetition> = fc.record({ kind: fc.constant('repeat' as const), back: fc.nat(5) });
const step = fc.oneof({ weight: 4, arbitrary: command }, { weight: 1, arbitrary: repetition });

export const commands: fc.Arbitrary<Command[]> = fc
  .array(step, { minLength: 1, maxLength: 80, size: 'max' })
  .map((steps) => {
    const sequence: Command[] = [];
    for (const each of steps) {
      const next = each.kind === 'repeat' ? sequence.at(-1 - each.back) : each;
      if (next) sequence.push(next);
    }
    return sequence;
  });

/** The fields of a body, as a request has them. */
export function fieldsOf({ segments, ...fields }: Body): JsonObject {
  return { ...fields, segments: segments.map((entry) => ({ ...entry })) };
}

/** A project as an answer tells it, named by when it was made. */
export interface View extends Body {
  readonly made: number;
}

/** What a command comes to. */
export type Answer =
  | { readonly is: 'project'; readonly project: View; readonly replayed: boolean }
  | { readonly is: 'list'; readonly projects: readonly number[] }
  | { readonly is: 'receipt'; readonly receipt: Deletion; readonly replayed: boolean }
  | { readonly is: 'problem'; readonly problem: ProblemType; readonly deletedAtUtc?: string }
  | { readonly is: 'operation'; readonly status: OperationState['kind'] | 'none'; readonly answer: Answer }
  | { readonly is: 'nothing' };

/** A receipt, with the project named by when it was made. */
interface Deletion {
  readonly scope: 'project' | 'task';
  readonly made: number;
  readonly customId: string | null;
  readonly taskId: string | null;
  readonly deletedAtUtc: string | null;
  readonly removed: Receipt['removed'];
}

interface Known {
  readonly company: Company;
  view: View;
  deletedAtMs?: number;
}

/** What a key was used for. */
interface Used {
  readonly meaning: unknown;
  readonly untilMs: number;
  readonly result: { readonly created: number } | { readonly receipt: Deletion } | { readonly failed: ProblemType };
}

const KEY_DAYS = 7;
const TOMBSTONE_DAYS = 30;

/** The whole service in a few lines, written from the contract: no store, no crash, no race. */
export class Truth {
  readonly #projects: Known[] = [];
  readonly #keys = new Map<string, Used>();

  answer(command: Command, nowMs: number): Answer {
    switch (command.kind) {
      case 'create':
        return this.#once(command, command.body, nowMs, () => this.#create(command));
      case 'delete':
        return this.#once(command, [command.ref, command.scope], nowMs, () => this.#delete(command, nowMs));
      case 'get':
        return this.#get(command, nowMs);
      case 'ask':
        return this.#ask(command, nowMs);
      case 'list': {
        const own = this.#projects.filter((known) => known.company === command.company && isLive(known));
        return { is: 'list', projects: own.map(({ view }) => view.made).reverse() };
      }
      default:
        return { is: 'nothing' };
    }
  }

  /** How many projects a company has. */
  count(company: Company): number {
    return this.#projects.filter((known) => known.company === company && isLive(known)).length;
  }

  #once(
    { kind, company, key }: Extract<Command, { kind: 'create' | 'delete' }>,
    asked: unknown,
    nowMs: number,
    work: () => Answer,
  ): Answer {
    if (key === undefined) return work();
    const place = `${company} ${key}`;
    const meaning = [kind, asked];
    const used = this.#keys.get(place);
    if (used && used.untilMs > nowMs && !('failed' in used.result)) return this.#again(used, meaning);
    const answer = work();
    const untilMs = nowMs + KEY_DAYS * DAY_MS;
    if (answer.is === 'project') this.#keys.set(place, { meaning, untilMs, result: { created: answer.project.made } });
    if (answer.is === 'receipt') this.#keys.set(place, { meaning, untilMs, result: { receipt: answer.receipt } });
    if (answer.is === 'problem') this.#keys.set(place, { meaning, untilMs, result: { failed: answer.problem } });
    return answer;
  }

  #ask({ company, key }: Extract<Command, { kind: 'ask' }>, nowMs: number): Answer {
    const used = this.#keys.get(`${company} ${key}`);
    if (!used || used.untilMs <= nowMs) {
      return { is: 'operation', status: 'none', answer: { is: 'problem', problem: 'operation-not-found' } };
    }
    const { meaning, result } = used;
    if ('failed' in result) {
      return { is: 'operation', status: 'failed', answer: { is: 'problem', problem: result.failed } };
    }
    return { is: 'operation', status: 'done', answer: this.#again(used, meaning) };
  }

  #again({ meaning, result }: Used, asked: unknown): Answer {
    const known = 'created' in result ? this.#projects[result.created] : undefined;
    if (known?.deletedAtMs !== undefined) {
      return { is: 'problem', problem: 'project-deleted', deletedAtUtc: utc(known.deletedAtMs) };
    }
    if (!isDeepStrictEqual(meaning, asked)) return { is: 'problem', problem: 'idempotency-key-reused' };
    if (known) return { is: 'project', project: known.view, replayed: true };
    if ('receipt' in result) return { is: 'receipt', receipt: result.receipt, replayed: true };
    throw new Error('A creation has a project');
  }

  #create({ company, body }: Extract<Command, { kind: 'create' }>): Answer {
    if (body.customId !== undefined && this.#live(company, { customId: body.customId })) {
      return { is: 'problem', problem: 'custom-id-in-use' };
    }
    const view = { ...body, made: this.#projects.length };
    this.#projects.push({ company, view });
    return { is: 'project', project: view, replayed: false };
  }

  #get({ company, ref, taskId }: Extract<Command, { kind: 'get' }>, nowMs: number): Answer {
    const known = this.#live(company, ref);
    if (!known) return this.#missing(company, ref, nowMs);
    if (taskId === undefined) return { is: 'project', project: known.view, replayed: false };
    const segments = ofTask(known.view, taskId);
    if (segments.length === 0 && known.view.taskId !== taskId) return { is: 'problem', problem: 'task-not-found' };
    return { is: 'project', project: { ...known.view, segments }, replayed: false };
  }

  #delete({ company, ref, scope }: Extract<Command, { kind: 'delete' }>, nowMs: number): Answer {
    const known = this.#live(company, ref);
    if (!known) return this.#missing(company, ref, nowMs);
    const { view } = known;
    const common = { made: view.made, customId: view.customId ?? null, deletedAtUtc: utc(nowMs) };
    if (scope.kind === 'project') {
      known.deletedAtMs = nowMs;
      const tasks = new Set([view.taskId, ...view.segments.map(({ taskId }) => taskId)]);
      tasks.delete(undefined);
      const removed = { targetLanguages: 1, segments: view.segments.length, tasks: tasks.size };
      return { is: 'receipt', receipt: { scope: 'project', taskId: null, ...common, removed }, replayed: false };
    }
    const { taskId } = scope;
    const gone = ofTask(view, taskId);
    if (gone.length === 0 && view.taskId !== taskId) return { is: 'problem', problem: 'task-not-found' };
    const { taskId: own, ...rest } = view;
    const segments = view.segments.filter((segment) => !gone.includes(segment));
    known.view = { ...rest, ...(own !== undefined && own !== taskId && { taskId: own }), segments };
    const removed = { targetLanguages: 0, segments: gone.length, tasks: 1 };
    return { is: 'receipt', receipt: { scope: 'task', taskId, ...common, removed }, replayed: false };
  }

  #live(company: Company, ref: Ref): Known | undefined {
    return this.#projects.find((known) => isLive(known) && isNamed(known, company, ref));
  }

  #missing(company: Company, ref: Ref, nowMs: number): Answer {
    const last = this.#projects
      .filter((known) => isNamed(known, company, ref))
      .reduce((latest, { deletedAtMs = 0 }) => Math.max(latest, deletedAtMs), 0);
    const isRemembered = last + TOMBSTONE_DAYS * DAY_MS > nowMs;
    return { is: 'problem', problem: 'project-not-found', ...(isRemembered && { deletedAtUtc: utc(last) }) };
  }
}

function isLive({ deletedAtMs }: Known): boolean {
  return deletedAtMs === undefined;
}

function isNamed({ company: owner, view }: Known, company: Company, ref: Ref): boolean {
  return owner === company && ('made' in ref ? view.made === ref.made : view.customId === ref.customId);
}

/** The segments of a task: those that bear it, and those that bear none where it is the project's own. */
function ofTask({ taskId: own, segments }: View, taskId: string) {
  return segments.filter((segment) => (segment.taskId ?? own) === taskId);
}
