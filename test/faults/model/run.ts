import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { STATES } from '../../../lib/contract/language-states.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { TRANSLATION_STATUSES } from '../../../lib/contract/translation-status.ts';
import type { WrittenTranslation } from '../../../lib/contract/translations.ts';
import type { HostedService } from '../../../lib/hosted/service.ts';
import {
  type CallContext,
  type OperationResult,
  type OperationState,
  operationIdOf,
  type ProjectRef,
  type SegmentsPage,
  type ServiceProgress,
} from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import { SEGMENT_ID_STEP } from '../../../lib/service/project-from.ts';
import type { OutdatedPut, PutResult } from '../../../lib/service/put.ts';
import { NOW_MS } from '../../lib/support.ts';
import { target } from '../../support/projects.ts';
import { everyOperation, textOf } from '../../support/world.ts';
import { type Ending, endingOf, type World } from '../world.ts';
import { COMPANIES, type Command, type Company, commands, type Ref } from './commands.ts';
import { type Answer, type LanguageView, type PutView, type TranslationView, Truth, type View } from './truth.ts';

/** Sends `sequences` sequences of commands to a service, and compares every answer with the model. */
export async function checkModel(world: World, sequences: number, seed?: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(commands, (sequence) => runSequence(world, sequence)),
    { numRuns: sequences, ...(seed !== undefined && { seed }) },
  );
}

/** Sends commands of two new companies to a service, and compares every answer with the model. */
async function runSequence(world: World, sequence: readonly Command[]): Promise<void> {
  world.nowMs = NOW_MS;
  const hasPut = sequence.some(({ kind }) => kind === 'put');
  const actual = new Actual(world, hasPut);
  const truth = new Truth(actual.ids);
  for (const command of sequence) {
    world.nowMs += command.kind === 'wait' ? command.ms : 1;
    deepStrictEqual(await actual.answer(command), truth.answer(command, world.nowMs));
  }
  // The last work also removes what was deleted, and moves what was written to its place.
  deepStrictEqual(await actual.answer({ kind: 'work' }), truth.answer({ kind: 'work' }, world.nowMs));
  await world.sweep();
  // A put may give a project more chunks of translations.
  if (hasPut) return;
  for (const company of COMPANIES) {
    deepStrictEqual((await world.payloads(actual.companies[company])).length, truth.payloads(company));
  }
}

/** An id that no project has. */
const NOBODY = 1;
/** The language of each project. */
const LANGUAGE = { languageId: 53, languageCode: 'de-DE' };
const MAX_PAGE_BYTES = 1_000_000;

const Language = z.object({ state: z.enum(STATES), progress: z.int() });
const Listed = z.object({ id: z.int(), targetLanguages: z.tuple([Language]) });
const Progress = z.object({
  total: z.int(),
  tasks: z.array(z.object({ taskId: z.string(), total: z.int() })),
  languages: z.array(z.object({ progress: z.int() })),
});
const Entries = z.array(
  z.object({
    source: z.object({ customId: z.string() }),
    translations: z.array(
      z.object({
        content: z.nullable(z.string()),
        status: z.enum(TRANSLATION_STATUSES),
        version: z.int(),
        outdated: z.optional(z.literal(true)),
      }),
    ),
  }),
);

/** The service under test. */
class Actual {
  /** The ids of the created projects, the latest last. */
  readonly ids: number[] = [];
  readonly companies: Readonly<Record<Company, string>>;
  readonly #world: World;
  #service: HostedService;
  readonly #hasPut: boolean;

  /**
   * @param hasPut whether the sequence has a put, which may give segments other ids than a creation does; segments are
   *   named by their custom ids then, in each command, because a retry must name them as the first request did
   */
  constructor(world: World, hasPut: boolean) {
    this.#world = world;
    this.#hasPut = hasPut;
    this.companies = { one: world.newCompany(), two: world.newCompany() };
    this.#service = everyOperation(world.service());
  }

  async answer(command: Command): Promise<Answer> {
    switch (command.kind) {
      case 'create': {
        const { automatic, segments, ...fields } = command.body;
        const project = this.#world.checked({
          ...fields,
          segments: segments.map((one, index) => ({ ...one, customId: String(index) })),
          ...(automatic && { targetLanguages: [target({ serviceAutomaticTranslation: true })] }),
        });
        const ending = await this.#send(command, (call) => this.#service.create(project, call));
        if (ending.is === 'done') this.ids.push(ending.value.id);
        return answerOf(ending, viewOf);
      }
      case 'put':
        return this.#put(command);
      case 'get': {
        const { ref, taskId } = command;
        return answerOf(await this.#send(command, (call) => this.#service.get(this.#named(ref), taskId, call)), viewOf);
      }
      case 'segments': {
        const { ref, taskId } = command;
        const request = (call: CallContext) => this.#segments(this.#named(ref), taskId, call);
        return answerOf(await this.#send(command, request), (translations) => translations);
      }
      case 'progress': {
        const { ref, taskId } = command;
        const request = (call: CallContext) => this.#service.progress(this.#named(ref), taskId, call);
        return answerOf(await this.#send(command, request), progressOf);
      }
      case 'write': {
        const ref = this.#named(command.ref);
        const entries = command.entries.map(({ segment, ...entry }) => ({
          ...entry,
          ...LANGUAGE,
          ...segmentIn(this.#hasPut ? undefined : ref, segment),
        }));
        const request = (call: CallContext) => this.#service.writeTranslations(ref, entries, call);
        return answerOf(await this.#send(command, request), (written) => written.map(writtenOf));
      }
      case 'language': {
        const { ref, code, state } = command;
        const request = (call: CallContext) => this.#service.changeLanguage(this.#named(ref), code, { state }, call);
        return answerOf(await this.#send(command, request), languageOf);
      }
      case 'work':
        await this.#world.work();
        break;
      case 'delete': {
        const { ref, scope } = command;
        const ending = await this.#send(command, (call) => this.#service.delete(this.#named(ref), scope, call));
        return answerOf(ending, receiptOf);
      }
      case 'operation': {
        const operationId = operationIdOf(command.key);
        return answerOf(await this.#send(command, (call) => this.#service.operation(operationId, call)), stateOf);
      }
      case 'list':
        return { is: 'done', value: await this.#list(command.company) };
      case 'restart':
        this.#service = everyOperation(this.#world.service());
    }
    return { is: 'done', value: undefined };
  }

  async #put(command: Extract<Command, { kind: 'put' }>): Promise<Answer> {
    const { ref, body, taskId, revision, mayRemove } = command;
    const { automatic, segments, ...fields } = body;
    const project = this.#world.checked({
      ...fields,
      segments: segments.map(({ segment, ...one }) => ({ ...one, customId: String(segment) })),
      ...(automatic && { targetLanguages: [target({ serviceAutomaticTranslation: true })] }),
    });
    const scopes = mayRemove ? {} : { scopes: ['create', 'update'] as const };
    const ending = await this.#send(command, async (call) => {
      const request = { ref: this.#named(ref), project, taskId, revision };
      const result = await this.#service.put(request, { ...call, ...scopes });
      if (result.outcome === 'outdated') return { ...result, shown: undefined };
      return { ...result, shown: viewOf(await result.document()) };
    });
    const isNew = ending.is === 'done' && ending.value.outcome === 'create';
    if (isNew && ending.value.shown) this.ids.push(ending.value.shown.id);
    return answerOf(ending, putOf);
  }

  #send<T>(
    { company, ...rest }: Extract<Command, { readonly company: Company }>,
    request: (call: CallContext) => Promise<T>,
  ): Promise<Ending<T>> {
    const key = 'key' in rest && rest.kind !== 'operation' ? rest.key : undefined;
    return endingOf((replayed) => request(this.#world.callOf(this.companies[company], key, replayed)));
  }

  /** Returns the translations of all segments, read in pages of at most two. */
  async #segments(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<TranslationView[]> {
    const shown: TranslationView[] = [];
    let after: SegmentsPage['next'];
    do {
      const query = { taskId, after, limit: 2, maxBytes: MAX_PAGE_BYTES, isGzip: false };
      const page = await this.#service.segments(ref, query, call);
      shown.push(...Entries.parse(JSON.parse(Buffer.from(page.json.bytes).toString())).map(translationOf));
      after = page.next;
    } while (after !== undefined);
    return shown;
  }

  /** Returns all projects of the list, read in pages of at most two. */
  async #list(company: Company): Promise<Pick<View, 'id' | 'language'>[]> {
    const projects: Pick<View, 'id' | 'language'>[] = [];
    let after: number | undefined;
    do {
      const page = await this.#service.list({ limit: 2, after }, this.#world.callOf(this.companies[company]));
      projects.push(
        ...page.projects
          .map((project) => Listed.parse(project))
          .map(({ id, targetLanguages: [language] }) => ({ id, language })),
      );
      after = page.next;
    } while (after !== undefined);
    return projects;
  }

  #named(ref: Ref): ProjectRef {
    return 'made' in ref ? { id: this.ids[ref.made] ?? NOBODY } : ref;
  }
}

function answerOf<T>(ending: Ending<T>, view: (value: T) => unknown): Answer {
  if (ending.is !== 'refused') return { is: ending.is, value: view(ending.value) };
  const { name: problem, occurrence } = ending.problem;
  const { deletedAtUtc } = occurrence;
  return { is: 'refused', problem, ...(deletedAtUtc !== undefined && { deletedAtUtc }) };
}

function viewOf(document: ProjectDocument): View {
  const { id, customId, taskId, segments, targetLanguages }: Project = JSON.parse(textOf(document));
  return {
    id,
    ...(customId !== undefined && { customId }),
    ...(taskId !== undefined && { taskId }),
    segments: segments.map(({ customId: name, content, taskId: task }) => ({
      segment: Number(name),
      content,
      ...(task !== undefined && { taskId: task }),
    })),
    language: languageOf(targetLanguages[0]),
  };
}

function languageOf(language: unknown): LanguageView {
  return Language.parse(language);
}

function progressOf(progress: ServiceProgress) {
  const { total, tasks, languages } = Progress.parse(progress);
  return { total, language: languages[0]?.progress, tasks: tasks };
}

/** Names a segment by its id, or by its custom id if the project is named so. */
function segmentIn(ref: ProjectRef | undefined, segment: number) {
  // The ids of a new project are consecutive: its own, that of its target language, those of its segments.
  return ref && 'id' in ref
    ? { segmentId: ref.id + 2 + segment * SEGMENT_ID_STEP }
    : { segmentCustomId: String(segment) };
}

/** Returns what a put did, with the project after it. */
function putOf(
  result: OutdatedPut | (Exclude<PutResult, OutdatedPut> & { readonly shown: View | undefined }),
): PutView {
  if (result.outcome === 'outdated') return { outcome: 'outdated', revision: result.revision };
  const { outcome, segments, shown: project } = result;
  return { outcome, segments: { ...segments }, project };
}

function translationOf({ source, translations: [translation] }: z.infer<typeof Entries>[number]): TranslationView {
  const { content = null, status = 'untranslated', version = 0, outdated: isOutdated = false } = translation ?? {};
  return { segment: Number(source.customId), content, status, version, isOutdated };
}

function writtenOf({
  segmentCustomId,
  content,
  status,
  version,
  outdated: isOutdated,
}: WrittenTranslation): TranslationView {
  return { segment: Number(segmentCustomId), content, status, version, isOutdated: isOutdated === true };
}

function receiptOf({ outcome: _, requestedBy: __, ...receipt }: Receipt) {
  return receipt;
}

/** Returns the state of an operation, with the answer to a retry. */
function stateOf({ kind: status, ...state }: OperationState) {
  const result = 'result' in state ? state.result : 'problem' in state ? state.problem : undefined;
  if (result instanceof Problem) return { status, result: answerOf({ is: 'refused', problem: result }, viewOf) };
  return { status, result: result && resultOf(result) };
}

function resultOf(result: OperationResult) {
  if ('json' in result) return viewOf(result);
  if ('translations' in result) return result.translations.map(writtenOf);
  if ('language' in result) return languageOf(result.language);
  return 'projectId' in result ? receiptOf(result) : result;
}
