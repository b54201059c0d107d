import * as z from 'zod/mini';
import type { Fault } from '../contract/faults.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { TargetLanguageAnswer } from '../contract/project-answer.ts';
import type { Receipt } from '../contract/receipt.ts';
import type { WrittenTranslation } from '../contract/translations.ts';
import { StoredReceipt } from '../records/contract-records.ts';
import { companyPartition, projectKey } from '../records/keys.ts';
import { type RequestIdentity, recordKey } from '../records/request-record.ts';
import { deletionTime } from '../records/tombstones.ts';
import { differences } from '../service/compared-fields.ts';
import { leaseMsOf } from '../service/deadline.ts';
import { type CallContext, type OperationResult, operationIdOf, type ProjectService } from '../service/port.ts';
import { type ProjectDocument, valueIn } from '../service/project-document.ts';
import type { ItemStore } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { isSameRequest } from './identity.ts';
import { type IdempotentRequest, type Outcome, type ResultWrite, runIdempotent } from './run-idempotent.ts';

/** The ids of a translation that a request wrote, and the version that it wrote. */
const TranslationRef = recordOf({ segmentId: z.int(), languageId: z.int(), version: z.int() });
export type TranslationRef = z.infer<typeof TranslationRef>;

/** The schema of the recorded result of a request. It contains ids, versions or a receipt, never content. */
export const RequestResult = z.union([
  recordOf({ kind: z.literal('created'), projectId: z.int() }),
  recordOf({ kind: z.literal('deleted'), receipt: StoredReceipt }),
  recordOf({ kind: z.literal('translated'), projectId: z.int(), translations: z.array(TranslationRef) }),
  recordOf({ kind: z.literal('language-changed'), projectId: z.int(), languageId: z.int() }),
]);
export type RequestResult = z.infer<typeof RequestResult>;

/** The steps that turn a recorded result into the answer to a later request with the same key. */
export interface Replay<T> {
  /**
   * Checks that a created or changed project still exists. Runs before the later request is compared with the first.
   * @throws {Problem} `project-deleted`
   */
  readonly requireLive: (result: RequestResult) => Promise<void>;
  /**
   * Returns JSON pointers to the fields that differ between the two requests; an empty list if they cannot be compared.
   */
  readonly differences: (result: RequestResult) => Promise<readonly string[]>;
  /** Makes the answer from the recorded result. */
  readonly answer: (result: RequestResult) => Promise<T>;
}

/** The dependencies of requests with an idempotency key. */
export interface IdempotencyDeps {
  readonly storage: ItemStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Runs the work of a call. With an idempotency key, the work runs once for all calls with the key.
 * @param identityOf returns the operation and content of the request; called only if there is a key, because it may be
 *   slow
 * @param work receives a function that makes the write that records the result, to commit together with the effect;
 *   `undefined` if the call has no key
 * @throws {Problem} `request-in-progress`, `idempotency-key-reused`; any error of `work` and `replay`
 */
export async function runCall<T>(
  deps: IdempotencyDeps,
  call: CallContext,
  identityOf: () => Promise<RequestIdentity>,
  work: (settle: ResultWrite | undefined) => Promise<T>,
  replay: Replay<T>,
): Promise<T> {
  if (!call.idempotency) return work(undefined);
  const request = idempotentRequest(deps, call, operationIdOf(call.idempotency.key), await identityOf());
  const outcome = await runIdempotent(request, ({ settle }) => work(settle));
  return resultOrReplay(call, request.identity, outcome, replay);
}

/** Makes the arguments of `runIdempotent` for an operation. The lease ends shortly after the deadline of the call. */
export function idempotentRequest(
  { storage, now }: IdempotencyDeps,
  call: CallContext,
  operationId: string,
  identity: RequestIdentity,
): IdempotentRequest {
  return {
    storage,
    key: recordKey(companyPartition(call.companyId), operationId),
    identity,
    now,
    leaseMs: leaseMsOf(call.deadline),
    retentionMs: call.idempotency?.retentionMs,
  };
}

/**
 * Returns the value if this call ran the work, or else the replayed result of the earlier request.
 * @throws {Problem} `idempotency-key-reused`; any error of `replay`
 */
export async function resultOrReplay<T>(
  { idempotency }: CallContext,
  identity: RequestIdentity,
  outcome: Outcome<T>,
  replay: Replay<T>,
): Promise<T> {
  if (outcome.kind === 'done') return outcome.value;
  const detail = reusedDetail(outcome.identity, identity);
  if (outcome.result === undefined) throw reused(detail, []);
  const result = RequestResult.parse(outcome.result);
  await replay.requireLive(result);
  if (!isSameRequest(outcome.identity, identity)) throw reused(detail, await replay.differences(result));
  idempotency?.replayed();
  return replay.answer(result);
}

/** The requests that other requests of the same kind differ from, by the name of their operation. */
const KINDS: Readonly<Record<string, string>> = {
  create: 'another project',
  delete: 'another deletion',
  translate: 'other translations',
  'change-language': 'another change of a language',
};

/** Returns the detail of `idempotency-key-reused`. It mentions dates only for a create, because no other has dates. */
function reusedDetail(first: RequestIdentity, { operation }: RequestIdentity): string {
  const used = first.operation === operation ? KINDS[operation] : undefined;
  const dates = ' A retry must send the same project with the same endDateUtc; only startDateUtc may differ.';
  return `This idempotency key was used with ${used ?? 'another kind of request'}. For a new request, use a new key.${used === KINDS['create'] ? dates : ''}`;
}

function reused(detail: string, pointers: readonly string[]): Problem {
  const fault = (pointer: string): Fault => ({
    pointer,
    code: 'not-the-same',
    detail: 'The first request with this idempotency key had a different value at this pointer.',
  });
  return new Problem('idempotency-key-reused', { detail, ...(pointers.length > 0 && { errors: pointers.map(fault) }) });
}

/** The readers that show the results of earlier requests in their current state. */
export interface ResultReaders {
  readonly get: ProjectService['get'];
  /**
   * Reads translations of a project, in the order of `refs`. Leaves out those whose segments were deleted. Absent in a
   * service that cannot write translations.
   * @throws {Problem} `project-not-found`
   */
  readonly getTranslations?: (
    projectId: number,
    refs: readonly TranslationRef[],
    call: CallContext,
  ) => Promise<readonly WrittenTranslation[]>;
  /**
   * Reads a target language of a project. Absent in a service that cannot change languages.
   * @throws {Problem} `project-not-found`
   */
  readonly getLanguage?: (projectId: number, languageId: number, call: CallContext) => Promise<TargetLanguageAnswer>;
}

/** The replays of a service's requests. */
export interface ProjectReplays {
  /** Makes the replay of a create, which returns the project in its current state. */
  creation(project: CheckedProject, call: CallContext): Replay<ProjectDocument>;
  /** Makes the replay of a delete, which returns the receipt of the first request. */
  deletion(call: CallContext): Replay<Receipt>;
  /** Makes the replay of a request that wrote translations, which returns them in their current state. */
  translation(call: CallContext): Replay<readonly WrittenTranslation[]>;
  /** Makes the replay of a change of a language, which returns the language in its current state. */
  languageChange(call: CallContext): Replay<TargetLanguageAnswer>;
  /**
   * Reads the result of an earlier request in its current state.
   * @throws {Problem} `project-deleted` if the project has been deleted since
   */
  readResult(result: RequestResult, call: CallContext): Promise<OperationResult>;
}

/** The detail of `project-deleted`, by the kind of the recorded result. */
const DELETED = {
  created:
    'The project created with this idempotency key was deleted. Segue does not create it again. To create it, use a new key.',
  translated: 'The project was deleted after the translations with this idempotency key were written.',
  'language-changed': 'The project was deleted after its language was changed with this idempotency key.',
} as const;

type ResultOf<Kind extends RequestResult['kind']> = Extract<RequestResult, { kind: Kind }>;

/** Makes the replays of a service's requests. */
export function projectReplays(deps: IdempotencyDeps, readers: ResultReaders): ProjectReplays {
  /** Throws `project-deleted` if the project was deleted, so that a late retry never creates or changes it again. */
  async function requireLive(result: RequestResult, { companyId }: Pick<CallContext, 'companyId'>): Promise<void> {
    if (result.kind === 'deleted') return;
    const { kind, projectId } = result;
    if (await deps.storage.read(projectKey(companyId, projectId))) return;
    const deletedAtUtc = await deletionTime(deps, companyId, { id: projectId });
    throw new Problem('project-deleted', {
      detail: DELETED[kind],
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    });
  }

  /** Reads the current state of a result. If that fails because the project was deleted, the problem says so. */
  async function readLive<T>(result: RequestResult, call: CallContext, read: Promise<T> | undefined): Promise<T> {
    if (!read) throw new TypeError(`The service cannot read the result of a request: ${result.kind}`);
    try {
      return await read;
    } catch (error) {
      await requireLive(result, call);
      throw error;
    }
  }

  function readProject(result: ResultOf<'created'>, call: CallContext): Promise<ProjectDocument> {
    return readLive(result, call, readers.get({ id: result.projectId }, undefined, call));
  }

  function readTranslations(result: ResultOf<'translated'>, call: CallContext): Promise<readonly WrittenTranslation[]> {
    const { projectId, translations } = result;
    return readLive(result, call, readers.getTranslations?.(projectId, translations, call));
  }

  function readLanguage(result: ResultOf<'language-changed'>, call: CallContext): Promise<TargetLanguageAnswer> {
    const { projectId, languageId } = result;
    return readLive(result, call, readers.getLanguage?.(projectId, languageId, call));
  }

  /** Makes a replay whose later request cannot be compared with the first, because the record has no content. */
  const replayOf = <T>(call: CallContext, answer: Replay<T>['answer']): Replay<T> => ({
    requireLive: (result) => requireLive(result, call),
    differences: async () => [],
    answer,
  });

  return {
    creation: (project, call) => ({
      ...replayOf(call, async (result) => readProject(ofKind(result, 'created'), call)),
      differences: async (result) =>
        result.kind === 'created' ? differences(project, valueIn(await readProject(result, call))) : [],
    }),
    deletion: (call) => replayOf(call, async (result) => ofKind(result, 'deleted').receipt),
    translation: (call) => replayOf(call, async (result) => readTranslations(ofKind(result, 'translated'), call)),
    languageChange: (call) => replayOf(call, async (result) => readLanguage(ofKind(result, 'language-changed'), call)),
    async readResult(result, call) {
      switch (result.kind) {
        case 'created':
          return readProject(result, call);
        case 'deleted':
          return result.receipt;
        case 'translated':
          return { translations: await readTranslations(result, call) };
        case 'language-changed':
          return { language: await readLanguage(result, call) };
      }
    },
  };
}

function ofKind<Kind extends RequestResult['kind']>(result: RequestResult, kind: Kind): ResultOf<Kind> {
  if (isOfKind(result, kind)) return result;
  throw new TypeError(`The result of the request must be ${kind}, not ${result.kind}`);
}

function isOfKind<Kind extends RequestResult['kind']>(result: RequestResult, kind: Kind): result is ResultOf<Kind> {
  return result.kind === kind;
}
