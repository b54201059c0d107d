import fc from 'fast-check';
import { type LanguageState, STATES } from '../../../lib/contract/language-states.ts';
import type { WritableStatus } from '../../../lib/contract/translation-status.ts';
import type { DeletionScope } from '../../../lib/service/port.ts';

export const COMPANIES = ['one', 'two'] as const;
export type Company = (typeof COMPANIES)[number];

/** A project by its custom id, or by the order of creation: the first project of all companies is 0. */
export type Ref = { readonly customId: string } | { readonly made: number };

interface Segment {
  readonly content: string;
  readonly taskId?: string;
}

/** The fields of a project that the model checks. */
export interface Body {
  readonly customId?: string;
  readonly taskId?: string;
  /** Whether an engine translates into the project's language. */
  readonly automatic?: true;
  readonly segments: readonly Segment[];
}

/** A segment of a put. Its number is its custom id, as for the segments of a creation, whose numbers are their places. */
export interface PutSegment extends Segment {
  readonly segment: number;
}

/** What a put sends. */
export interface PutBody extends Omit<Body, 'customId' | 'segments'> {
  readonly segments: readonly PutSegment[];
}

/** A translation to write. */
export interface Entry {
  /** The number of the segment. */
  readonly segment: number;
  readonly content: string;
  readonly status: WritableStatus;
  readonly ifVersion?: number | undefined;
  readonly reopen?: boolean;
}

/** A command of a client or an operator, or the passing of time. */
export type Command =
  | { readonly kind: 'create'; readonly company: Company; readonly body: Body; readonly key: string | undefined }
  | {
      /** `segments` reads the segments with their translations, in pages of two. */
      readonly kind: 'get' | 'segments' | 'progress';
      readonly company: Company;
      readonly ref: Ref;
      readonly taskId: string | undefined;
    }
  | { readonly kind: 'list'; readonly company: Company }
  | {
      readonly kind: 'delete';
      readonly company: Company;
      readonly ref: Ref;
      readonly scope: DeletionScope;
      readonly key: string | undefined;
    }
  | {
      readonly kind: 'put';
      readonly company: Company;
      readonly ref: Ref;
      readonly body: PutBody;
      readonly taskId: string | undefined;
      readonly revision: number | undefined;
      /** Whether the key may remove segments. */
      readonly mayRemove: boolean;
      readonly key: string | undefined;
    }
  | {
      readonly kind: 'write';
      readonly company: Company;
      readonly ref: Ref;
      readonly entries: readonly Entry[];
      readonly key: string | undefined;
    }
  /** Changes the state of a language, by its code. */
  | {
      readonly kind: 'language';
      readonly company: Company;
      readonly ref: Ref;
      readonly code: string;
      readonly state: LanguageState;
      readonly key: string | undefined;
    }
  /** The worker does everything that is due. */
  | { readonly kind: 'work' }
  /** Reads the state of the operation with a key. */
  | { readonly kind: 'operation'; readonly company: Company; readonly key: string }
  /** Another process takes over. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number };

/** There are few values of each kind, so that requests collide, and some names are nearly equal. */
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
  { weight: 1, arbitrary: fc.constantFrom(1, 2, 3).map((n): DeletionScope => ({ kind: 'project', revision: n })) },
  { weight: 1, arbitrary: taskId.map((name): DeletionScope => ({ kind: 'task', taskId: name })) },
);
const segment = fc.record(
  { content: fc.constantFrom('x', 'y'), taskId },
  { requiredKeys: ['content'], noNullPrototype: true },
);
const automatic = fc.constant(true as const);
const freeBody = fc.record(
  { customId, taskId, automatic, segments: fc.array(segment, { minLength: 1, maxLength: 3 }) },
  { requiredKeys: ['segments'], noNullPrototype: true },
);
/** A few fixed bodies, because random ones are hardly ever equal. */
const body: fc.Arbitrary<Body> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Body>(
      { segments: [{ content: 'x' }] },
      { customId: 'a', taskId: 't', segments: [{ content: 'x' }] },
      { customId: 'a', automatic: true, segments: [{ content: 'x' }, { content: 'y', taskId: 't' }] },
    ),
  },
  { weight: 2, arbitrary: freeBody },
);

const revision = fc.constantFrom(undefined, undefined, 1, 2, 3);
const putBody = fc.record(
  {
    taskId,
    automatic,
    segments: fc.uniqueArray(
      fc.record(
        { segment: fc.nat(3), content: fc.constantFrom('x', 'y', 'z'), taskId },
        { requiredKeys: ['segment', 'content'], noNullPrototype: true },
      ),
      { minLength: 1, maxLength: 4, selector: (each) => each.segment },
    ),
  },
  { requiredKeys: ['segments'], noNullPrototype: true },
);
const put = fc
  .record({
    kind: fc.constant('put' as const),
    company,
    ref,
    body: putBody,
    taskId: fc.option(taskId, { nil: undefined, freq: 2 }),
    revision,
    mayRemove: fc.constantFrom(true, true, true, false),
    key,
  })
  .map(
    (one): Command =>
      one.taskId === undefined
        ? one
        : {
            ...one,
            revision: undefined,
            // Each segment of the put of a task belongs to it.
            body: {
              ...one.body,
              segments: one.body.segments.map(({ segment: n, content }) => ({ segment: n, content })),
            },
          },
  );

const entry: fc.Arbitrary<Entry> = fc
  .record(
    {
      segment: fc.constantFrom(0, 0, 0, 1, 2),
      content: fc.constantFrom('u', 'v'),
      status: fc.constantFrom('draft', 'translated', 'proofread'),
      ifVersion: fc.constantFrom(undefined, undefined, undefined, 0, 1),
      reopen: fc.boolean(),
    },
    { requiredKeys: ['segment', 'content', 'status'], noNullPrototype: true },
  )
  // On the wire, an undefined field is an absent one.
  .map(({ ifVersion, ...rest }) => ({ ...rest, ...(ifVersion !== undefined && { ifVersion }) }));
const entries = fc.array(entry, { minLength: 1, maxLength: 2 });
const code = fc.constantFrom('de-DE', 'de-DE', 'de-DE', 'fr-FR');

const DAY_MS = 86_400_000;
/** Times that end at, or around, the moment at which keys and tombstones expire. */
const ms = fc.constantFrom(1, 1, 1, DAY_MS, DAY_MS, 7 * DAY_MS - 1, 7 * DAY_MS, 30 * DAY_MS - 1, 30 * DAY_MS);

const kinds: fc.WeightedArbitrary<Command>[] = [
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('create' as const), company, body, key }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom('get', 'segments', 'progress'),
      company,
      ref,
      taskId: fc.option(taskId, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('list' as const), company }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('delete' as const), company, ref, scope, key }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), company, ref, entries, key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('language' as const),
      company,
      ref,
      code,
      state: fc.constantFrom(...STATES),
      key,
    }),
  },
  { weight: 3, arbitrary: fc.constant<Command>({ kind: 'work' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('operation' as const), company, key: someKey }) },
  { weight: 1, arbitrary: fc.constant<Command>({ kind: 'restart' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms }) },
];

/** The number of commands between a command and its repetition. */
interface Repetition {
  readonly kind: 'repeat';
  readonly back: number;
}
const repetition: fc.Arbitrary<Repetition> = fc.record({ kind: fc.constant('repeat' as const), back: fc.nat(5) });

function sequencesOf(command: fc.Arbitrary<Command>): fc.Arbitrary<Command[]> {
  const step = fc.oneof({ weight: 4, arbitrary: command }, { weight: 1, arbitrary: repetition });
  return fc.array(step, { minLength: 1, maxLength: 80, size: 'max' }).map((steps) => {
    const sequence: Command[] = [];
    for (const each of steps) {
      const next = each.kind === 'repeat' ? sequence.at(-1 - each.back) : each;
      if (next) sequence.push(next);
    }
    return sequence;
  });
}

/** Sequences without puts are checked more closely: ids of segments can be told in advance, and stored payloads. */
export const commands: fc.Arbitrary<Command[]> = fc.oneof(
  { weight: 2, arbitrary: sequencesOf(fc.oneof(...kinds, { weight: 8, arbitrary: put })) },
  { weight: 1, arbitrary: sequencesOf(fc.oneof(...kinds)) },
);
