import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../../lib/contract/problem.ts';
import type { OutdatedPut } from '../../../lib/service/put.ts';
import type { Change, Operation, Put } from './operations.ts';
import type { Deed, PutAnswer, Result } from './perform.ts';
import { type Named, Revisions } from './revisions.ts';
import { type Content, contentIn, type Fact, type Loss, type Version } from './truth.ts';
import { afterTaskPut, contentOf, type Wish } from './wishes.ts';
import type { SimulatedWorld } from './world.ts';

/** What the rules about puts need to know of the other rules. */
interface Surroundings {
  readonly world: SimulatedWorld;
  readonly deeds: readonly Deed[];
  /** The wishes so far, by their names. */
  readonly wishes: ReadonlyMap<string, Wish>;
  /** Returns the projects of the companies that nobody else deleted at the service. */
  readonly kept: () => readonly Fact[];
  readonly complain: (what: string, operation?: Operation) => void;
}

/** The problems of puts for which Segue sends nothing to the upstream service. */
const UNSENT: readonly string[] = ['not-supported', 'scope-missing', 'quota-exceeded', 'invalid-project'];

/** Checks every content that a project gets against the operation that caused it, and every answer to a put. */
export class PutOracle {
  readonly #surroundings: Surroundings;
  readonly #revisions = new Revisions();
  /** The first answer to each put with a key. */
  readonly #told = new Map<string, PutAnswer | OutdatedPut>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Checks the new content of a project at the moment of the change. */
  changed(fact: Fact): void {
    const version = fact.versions.at(-1);
    const operation = version?.cause?.operation;
    if (!version || !operation) return;
    const before = fact.versions.at(-2)?.content;
    const wanted = wantedBy(operation, before);
    if (!wanted || !isDeepStrictEqual(wanted, version.content))
      this.#complain(`project ${fact.id} became ${JSON.stringify(version.content)}`, operation);
    if (!before) this.#checkAlone(fact, operation);
    if (operation.kind === 'put') this.#checkPut(operation, version.content, before);
  }

  /** Checks that a deletion of a whole project does not come too late. */
  deleted({ fact, cause }: Loss): void {
    const operation = cause?.operation;
    const named = this.#namedBy(fact);
    if (operation?.kind !== 'delete' || operation.scope.kind !== 'project' || !named) return;
    if (this.#revisions.deleted(named, operation.scope.revision))
      this.#complain(`project ${fact.id} was deleted too late`, operation);
  }

  /** Checks the answer to a put, or to a deletion. */
  ended(deed: Deed, result: Result): void {
    const { operation } = deed;
    if (operation.kind === 'delete') this.#remember(operation, result);
    if (operation.kind !== 'put') return;
    this.#checkSame(operation, result);
    if (result.is === 'put') this.#checkAnswer(operation, deed, result.answer, contentIn(result.project));
    if (result.is === 'outdated') this.#checkOutdated(operation, result.answer);
    if (result.is === 'problem') this.#checkProblem(operation, deed, result.problem);
    const isUnsent = result.is === 'problem' && UNSENT.includes(result.problem.name);
    const isUnchanged = result.is === 'outdated' || (result.is === 'put' && result.answer.outcome === 'unchanged');
    if ((isUnsent || isUnchanged) && deed.creationsSent > 0) this.#complain('something was sent', operation);
  }

  /** Checks at the end that no put changed more than its answer says. */
  checkAll(isNotApplied: (result: Result | undefined) => boolean): void {
    const { deeds, kept } = this.#surroundings;
    // A put whose project somebody else deleted before its answer arrived may create the project again.
    const versions = kept().flatMap((fact) => fact.versions);
    const changes = Map.groupBy(versions, ({ cause }) => cause);
    const byKey = Map.groupBy(deeds, ({ operation }) => nameOfKeyed(operation));
    for (const [name, all] of byKey) {
      const made = all.flatMap((deed) => changes.get(deed) ?? []);
      const [{ operation } = {}] = all;
      if (name !== undefined && made.length > 1) this.#complain(`a put made ${made.length} changes`, operation);
    }
    for (const deed of deeds) {
      const { operation, result } = deed;
      if (operation.kind !== 'put' || !changes.has(deed)) continue;
      if (result?.is === 'outdated' || isNotApplied(result))
        this.#complain('a put that changed nothing, as its answer says, changed a project', operation);
    }
  }

  /** Checks that a company has no other project with the custom id of a new one. */
  #checkAlone(fact: Fact, operation: Operation): void {
    const { world } = this.#surroundings;
    const named = this.#namedBy(fact);
    if (operation.kind === 'make outside' || named?.customId === undefined) return;
    const others = [...world.truth.facts.values()].filter(
      (other) =>
        other !== fact &&
        other.deletedAtMs === undefined &&
        other.cause?.operation.kind !== 'make outside' &&
        !world.injector.hasArchived(other.id) &&
        isDeepStrictEqual({ ...this.#namedBy(other), id: 0 }, { ...named, id: 0 }),
    );
    if (others.length > 0) this.#complain(`project ${fact.id} is not the only one with its custom id`, operation);
  }

  /** Checks that a put may change a project: at all, at this time, and with its scopes. */
  #checkPut(operation: Put, after: Content, before: Content | undefined): void {
    const { company, wish, ref, revision, scopes } = operation;
    const mayDo = (scope: 'create' | 'update' | 'delete') => !scopes || scopes.includes(scope);
    const id = 'id' in ref ? ref.id : undefined;
    if (before && !this.#surroundings.world.isItself) this.#complain('an upstream project was changed', operation);
    if (!mayDo(before ? 'update' : 'create')) this.#complain('a put did what its caller may not do', operation);
    if (before && !mayDo('delete') && isLoss(before, after))
      this.#complain('a put removed something that its caller may not remove', operation);
    if (revision !== undefined && this.#revisions.put({ company, customId: wish.customId, id }, revision))
      this.#complain('a put came too late, and took effect', operation);
  }

  #remember({ company, ref, scope }: Extract<Change, { readonly kind: 'delete' }>, result: Result): void {
    if (scope.kind !== 'project' || scope.revision === undefined || !('customId' in ref)) return;
    if (result.is === 'problem' && result.problem.name === 'project-not-found')
      this.#revisions.told({ company, customId: ref.customId }, scope.revision, true);
  }

  /** Checks that a repeated request has the answer of the first one. */
  #checkSame(operation: Put, result: Result): void {
    const name = nameOfKeyed(operation);
    if (name === undefined || !('answer' in result)) return;
    const first = this.#told.get(name);
    if (!first) this.#told.set(name, result.answer);
    else if (!isDeepStrictEqual(first, result.answer)) this.#complain('a put has two answers', operation);
  }

  #checkAnswer(operation: Put, deed: Deed, { outcome, projectId }: PutAnswer, shown: Content): void {
    const { world } = this.#surroundings;
    const { company, wish, ref, taskId, revision } = operation;
    const fact = world.truth.facts.get(projectId);
    if (!fact) {
      this.#complain(`there never was a project ${projectId}`, operation);
      return;
    }
    if (revision !== undefined) {
      const id = 'id' in ref ? ref.id : undefined;
      this.#revisions.told({ company, customId: wish.customId, id }, revision, false);
    }
    const isCause = ({ cause }: Version) => cause === deed || isSamePut(cause?.operation, operation);
    const isMade = fact.versions.some(isCause);
    if (outcome !== 'unchanged' && !isMade) this.#complain(`project ${projectId} was not changed`, operation);
    const isWanted = taskId === undefined && !deed.isReplayed;
    if (outcome === 'unchanged' && isWanted && !this.#had(fact, contentOf(wish), deed))
      this.#complain(`project ${projectId} is not equal`, operation);
    if (world.isItself && isWanted && !isDeepStrictEqual(shown, contentOf(wish)))
      this.#complain(`project ${projectId} is not shown as it was put`, operation);
  }

  /** Whether a project had a content at some time during a request. */
  #had(fact: Fact, content: Content, { startedMs }: Deed): boolean {
    return contentsSince(fact, startedMs).some((each) => isDeepStrictEqual(each, content));
  }

  #checkOutdated(operation: Put, { revision: last }: OutdatedPut): void {
    const { company, wish, revision } = operation;
    const isOfProject = (each: Operation) =>
      (each.kind === 'put' && each.company === company && each.wish.customId === wish.customId) ||
      (each.kind === 'delete' && each.company === company && each.scope.kind === 'project');
    const given = this.#surroundings.deeds.flatMap(({ operation: each }) =>
      isOfProject(each) ? (revisionIn(each) ?? []) : [],
    );
    if (revision === undefined || revision > last || !given.includes(last))
      this.#complain(`a put is said to be older than ${last}`, operation);
  }

  #checkProblem(operation: Put, { startedMs }: Deed, { name, occurrence }: Problem): void {
    const { world } = this.#surroundings;
    const { company, wish, taskId, scopes } = operation;
    if (name === 'scope-missing' && !scopes) this.#complain('a scope is missing that was given', operation);
    // A clock that is set back makes a start date wrong.
    const isWrong = occurrence.errors?.some(({ pointer }) => pointer !== '/startDateUtc');
    if (name === 'invalid-project' && isWrong) this.#complain('a right put is refused', operation);
    if (name === 'not-supported' && world.isItself) this.#complain('the hosted service supports puts', operation);
    if (name !== 'not-supported' || taskId !== undefined) return;
    const wanted = contentOf(wish);
    const isReason = [...world.truth.facts.values()].some((fact) => {
      const named = this.#namedBy(fact);
      const isNamed = 'id' in operation.ref ? operation.ref.id === fact.id : named?.customId === wish.customId;
      const contents = contentsSince(fact, startedMs);
      return named?.company === company && isNamed && contents.some((each) => !isDeepStrictEqual(each, wanted));
    });
    if (!isReason) this.#complain('an equal project cannot be put', operation);
  }

  /** What names the project of a fact to its company. */
  #namedBy({ id, name }: Fact): Named | undefined {
    const wish = this.#surroundings.wishes.get(name);
    return wish && { company: wish.company, customId: wish.customId, id };
  }

  #complain(what: string, operation?: Operation): void {
    this.#surroundings.complain(what, operation);
  }
}

/** Returns what the repetitions of a put have in common; `undefined` if it has no key. */
function nameOfKeyed(operation: Operation): string | undefined {
  if (operation.kind !== 'put' || operation.key === undefined) return undefined;
  return JSON.stringify([operation.company, operation.key]);
}

/** Returns the content that an operation has to make of a project; `undefined` if it may not change it. */
function wantedBy(operation: Operation, before: Content | undefined): Content | undefined {
  switch (operation.kind) {
    case 'create':
      return before ? undefined : contentOf(operation.wish);
    case 'make outside':
      return before ? undefined : contentOf(operation.foreign);
    case 'put': {
      const { wish, taskId } = operation;
      if (taskId === undefined) return contentOf(wish);
      return before && afterTaskPut(before, wish, taskId);
    }
    case 'delete': {
      const { scope } = operation;
      if (!before || scope.kind === 'project') return undefined;
      return { ...before, segments: before.segments.filter(({ taskId }) => taskId !== scope.taskId) };
    }
    default:
      return undefined;
  }
}

/** Returns the contents that a project had at some time since a moment. */
export function contentsSince({ versions }: Fact, sinceMs: number): Content[] {
  return versions.flatMap(({ content }, index) =>
    (versions[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) >= sinceMs ? [content] : [],
  );
}

/** Whether a put removes a segment or a target language. */
function isLoss(before: Content, after: Content): boolean {
  const isKept = ({ customId, content }: Content['segments'][number]) =>
    after.segments.some(
      (segment) => segment.content === content || (customId !== undefined && segment.customId === customId),
    );
  return !before.segments.every(isKept) || !before.languages.every((code) => after.languages.includes(code));
}

function isSamePut(cause: Operation | undefined, operation: Put): boolean {
  return cause?.kind === 'put' && operation.key !== undefined && cause.key === operation.key;
}

function revisionIn(operation: Operation): number | undefined {
  if (operation.kind === 'put') return operation.revision;
  return operation.kind === 'delete' && operation.scope.kind === 'project' ? operation.scope.revision : undefined;
}
