import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { Problem } from '../../../lib/contract/problem.ts';
import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';
import { checkTranslations } from '../../../lib/contract/translations.ts';
import type { HostedService } from '../../../lib/hosted/service.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { SegmentsQuery } from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import { putToken, readPutToken } from '../../../lib/service/put-plan.ts';
import { checked } from '../../lib/support.ts';
import { type JsonObject, member, segment } from '../../support/projects.ts';
import { type History, placeOf, type ShownSegment } from './history.ts';
import type { WorkingWorld } from './world.ts';

/** A project that a client created, as the last answer to a creation or a put showed it. */
export interface Created {
  readonly id: number;
  segments: readonly { readonly id: number }[];
  languages: readonly Language[];
}

interface Language {
  readonly id: number;
  readonly code: string;
  /** The fields of a request. */
  readonly fields: JsonObject;
}

const Whole = z.object({
  segments: z.array(
    z.object({ id: z.int(), customId: z.string(), content: z.string(), taskId: z.optional(z.string()) }),
  ),
});
type Whole = z.infer<typeof Whole>;

const LANGUAGES = [
  { code: 'de', id: 1093 },
  { code: 'fr', id: 1172 },
] as const;
const TASKS = ['a', 'b', null];
const TEAM = [
  member({}, 1),
  member({}, 2),
  member({ isTranslator: false, isProofreader: true }, 3),
  member({ isTranslator: false, isInCountryReviewer: true, isProjectManager: true }, 4),
];
/** The length of a content of which two fill a chunk. */
const LONG = 40_000;
const MAX_TRIES = 4;

/** A client that does random things to the projects of a company, and compares every answer with its history. */
export class Client {
  readonly #world: WorkingWorld;
  readonly #service: HostedService;
  readonly #projects: Created[];

  /** @param projects the projects that all clients know */
  constructor(world: WorkingWorld, service: HostedService, projects: Created[]) {
    this.#world = world;
    this.#service = service;
    this.#projects = projects;
  }

  /** Does one random thing. Failures that a client must expect end it. */
  async act(): Promise<void> {
    const { random } = this.#world;
    const project = this.#projects.length > 0 && random.chance(0.9) ? random.pick(this.#projects) : undefined;
    const wasDeleted = project !== undefined && this.#world.history.deleted.has(project.id);
    try {
      if (!project) return await this.#create();
      const chance = random.next();
      if (chance < 0.35) return await this.#write(project);
      if (chance < 0.6) return await this.#read(project);
      if (chance < 0.8) return await this.#put(project);
      if (chance < 0.9) return await this.#changeState(project);
      return await this.#delete(project, random.chance(0.5) ? random.pick(['a', 'b']) : undefined);
    } catch (error) {
      if (!(error instanceof Problem) || !EXPECTED.includes(error.name)) throw error;
      const isRight = error.name === 'project-not-found' || PASSING.includes(error.name);
      if (wasDeleted && !isRight)
        this.#world.history.complain(`the deleted project ${project.id} answers ${error.name}`);
    }
  }

  async #create(): Promise<void> {
    const { random, history } = this.#world;
    const isLong = random.chance(0.2);
    const segments = Array.from({ length: 1 + random.below(6) }, () => this.#newSegment(isLong));
    const languages = LANGUAGES.slice(0, 1 + random.below(LANGUAGES.length)).map((each) => this.#newLanguage(each));
    const body = checked({ targetLanguages: languages.map(({ fields }) => fields), segments: segments.map(segmentOf) });
    const document = await this.#service.create(body, this.#world.call());
    for (const { customId, content } of segments) history.sendingContent(document.id, customId, content);
    noteManaged(history, document.id, languages);
    this.#projects.push({ id: document.id, segments: wholeIn(document).segments, languages });
  }

  #newSegment(isLong = false) {
    const { random } = this.#world;
    const content = `${this.#world.newName()} ${isLong ? 'x'.repeat(LONG) : ''}`;
    const taskId = random.pick(TASKS);
    return { customId: this.#world.newName(), content, ...(taskId !== null && { taskId }) };
  }

  #newLanguage({ code, id }: (typeof LANGUAGES)[number]): Language {
    const { random } = this.#world;
    const isManaged = random.chance(0.5);
    const fields = {
      targetLanguageCode: code,
      state: random.chance(0.8) ? 'InProgress' : 'InPreparation',
      managedProject: isManaged,
      serviceAutomaticTranslation: random.chance(0.7),
      serviceTranslation: random.chance(0.5),
      serviceProofreading: random.chance(0.5),
      ...(!(isManaged && random.chance(0.2)) && { team: TEAM }),
    };
    return { id, code, fields };
  }

  /** Puts what a reader saw of a project, or of one of its tasks, with some changes. */
  async #put(project: Created): Promise<void> {
    const { random, history } = this.#world;
    const { id, languages } = project;
    const taskId = random.chance(0.3) ? random.pick(['a', 'b']) : undefined;
    const present = wholeIn(await this.#service.get({ id }, undefined, this.#world.call()));
    const segments = present.segments
      .filter((each) => taskId === undefined || each.taskId === taskId)
      .flatMap(({ id: _, ...each }) => {
        if (random.chance(0.15)) return [];
        if (random.chance(0.25)) return [{ ...each, content: `${this.#world.newName()} ` }];
        return [random.chance(0.1) && taskId === undefined ? { ...each, taskId: random.pick(['a', 'b']) } : each];
      });
    while (segments.length === 0 || random.chance(0.3)) {
      const { taskId: own, ...added } = this.#newSegment();
      const task = taskId ?? own;
      segments.splice(random.below(segments.length + 1), 0, { ...added, ...(task !== undefined && { taskId: task }) });
    }
    if (random.chance(0.2)) segments.reverse();
    const next = LANGUAGES.flatMap((each) => {
      const old = languages.find((language) => language.id === each.id);
      return random.chance(0.15) ? (random.chance(0.5) ? [] : [this.#newLanguage(each)]) : (old ?? []);
    });
    const target = next.length > 0 && taskId === undefined ? next : languages;
    history.sendingPut(id);
    noteManaged(history, id, target);
    for (const { customId, content, taskId: task } of segments) {
      history.sendingContent(id, customId, content);
      if (task !== undefined) history.revivedTasks.add(`${id}/${task}`);
    }
    // Another put may have added a language that this one does not know.
    for (const each of LANGUAGES) {
      if (taskId === undefined && !target.some((language) => language.id === each.id))
        history.removingLanguage(id, each.id);
    }
    const body = checked({ targetLanguages: target.map(({ fields }) => fields), segments: segments.map(segmentOf) });
    const revision = taskId === undefined && random.chance(0.3) ? 1 + random.below(20) : undefined;
    const [confirmed, wasDeleted] = [history.revisions.get(id) ?? 0, history.deleted.has(id)];
    const key = random.chance(0.6) ? this.#world.newName() : undefined;
    const mayRemove = random.chance(0.8);
    const scopes = mayRemove ? {} : { scopes: ['create', 'update'] as const };
    const unplanned = { ref: { id }, project: body, taskId, revision };
    const plan = random.chance(0.3) ? await this.#service.planPut(unplanned, this.#world.call()) : undefined;
    const planned = plan && plan.outcome !== 'outdated' ? readPutToken(putToken(plan)) : undefined;
    const request = { ...unplanned, planned };
    const result = await this.#again(key, () => this.#service.put(request, { ...this.#world.call(key), ...scopes }));
    const isLate = revision !== undefined && revision < confirmed;
    if (result.outcome === 'outdated') {
      if (revision === undefined) history.complain(`a put of ${id} without a revision was late`);
      return;
    }
    if (wasDeleted) history.complain(`the deleted project ${id} was put`);
    if (planned && plan?.outcome !== 'outdated' && !isDeepStrictEqual({ ...plan?.segments }, { ...result.segments }))
      history.complain(`a put of ${id} did not do what its plan says`);
    if (isLate) history.complain(`a put of ${id} with the revision ${revision} came after ${confirmed}`);
    if (revision !== undefined) history.revisions.set(id, Math.max(revision, history.revisions.get(id) ?? 0));
    if (!mayRemove && result.segments.removed + result.targetLanguages.removed > 0)
      history.complain(`a put of ${id} without the scope to delete removed something`);
    project.segments = wholeIn(await result.document()).segments;
    if (taskId === undefined) project.languages = target;
  }

  async #write({ id, segments, languages }: Created): Promise<void> {
    const { random, history } = this.#world;
    const entries = new Map<
      string,
      {
        segmentId: number;
        languageCode: string;
        content: string;
        status: TranslationStatus;
        reopen: boolean;
        ifVersion?: number;
      }
    >();
    for (let count = 1 + random.below(3); count > 0; count--) {
      const [{ id: segmentId }, language] = [random.pick(segments), random.pick(languages)];
      const status = random.pick(['draft', 'translated', 'proofread'] as const);
      const place = placeOf(id, segmentId, language.id);
      entries.set(place, {
        segmentId,
        languageCode: language.code,
        content: this.#world.newName(),
        status,
        reopen: random.chance(0.7),
        ...(random.chance(0.3) && { ifVersion: random.below(4) }),
      });
    }
    for (const [place, { content, status }] of entries) history.sending(place, content, status);
    const key = random.chance(0.6) ? this.#world.newName() : undefined;
    const list = checkTranslations([...entries.values()]);
    const written = await this.#again(key, () => this.#service.writeTranslations({ id }, list, this.#world.call(key)));
    if (written.length !== entries.size) return;
    for (const { segmentId, languageId, ...shown } of written)
      history.confirmed(placeOf(id, segmentId, languageId), shown);
  }

  /** Sends a request with a key until its outcome is known, and a request without one once. */
  async #again<T>(key: string | undefined, send: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await send();
      } catch (error) {
        const mayRepeat = error instanceof Problem && PASSING.includes(error.name);
        if (!mayRepeat || key === undefined || tries === MAX_TRIES) throw error;
      }
    }
  }

  async #read({ id }: Created): Promise<void> {
    const { random, history } = this.#world;
    const [before, isDeleted] = [history.snapshot(), history.deleted.has(id)];
    const gone = new Set(history.deletedTasks);
    const query: Partial<SegmentsQuery> = random.chance(0.5) ? { limit: 1 + random.below(3) } : {};
    for (const segment of await allSegments(this.#service, id, query, this.#world)) {
      history.check(id, segment, before);
      const task = `${id}/${segment.source.taskId}`;
      if (gone.has(task) && !history.revivedTasks.has(task)) history.complain(`${id} shows a deleted task`);
    }
    if (isDeleted) history.complain(`the deleted project ${id} can be read`);
    const { total } = await this.#service.progress({ id }, undefined, this.#world.call());
    if (!(Number(total) >= 0 && Number(total) <= 100)) history.complain(`${id} has the progress ${total}`);
  }

  async #changeState({ id, languages }: Created): Promise<void> {
    const { random } = this.#world;
    const state = random.chance(0.7) ? 'InProgress' : 'InPreparation';
    await this.#service.changeLanguage({ id }, random.pick(languages).code, { state }, this.#world.call());
  }

  async #delete({ id }: Created, taskId: string | undefined): Promise<void> {
    const { history } = this.#world;
    const deletions = history.taskDeletions.get(`${id}/${taskId}`) ?? { sent: 0, confirmed: 0 };
    history.taskDeletions.set(`${id}/${taskId}`, deletions);
    deletions.sent++;
    const scope = taskId === undefined ? ({ kind: 'project' } as const) : ({ kind: 'task', taskId } as const);
    await this.#service.delete({ id }, scope, this.#world.call());
    deletions.confirmed++;
    if (taskId === undefined) history.deleted.add(id);
    else history.deletedTasks.add(`${id}/${taskId}`);
  }
}

/** Problems that say nothing about the project: the store failed, or the time was over. */
const PASSING: readonly string[] = ['unavailable', 'outcome-unknown', 'request-in-progress'];
/** The problems that a client must expect. */
const EXPECTED: readonly string[] = [
  ...PASSING,
  'project-not-found',
  'task-not-found',
  'project-deleted',
  'page-outdated',
  'invalid-translations',
  'translation-changed',
  'language-not-found',
  'scope-missing',
  'plan-outdated',
];

function noteManaged({ managed }: History, projectId: number, languages: readonly Language[]): void {
  for (const { id, fields } of languages) if (fields['managedProject'] === true) managed.add(`${projectId} ${id}`);
}

/** Returns the fields of a segment of a request. */
function segmentOf({ taskId, ...fields }: Omit<Whole['segments'][number], 'id'>): JsonObject {
  return segment({ ...fields, ...(taskId !== undefined && { taskId }) });
}

function wholeIn({ json }: ProjectDocument): Whole {
  return Whole.parse(JSON.parse(Buffer.from(decodeText(json)).toString()));
}

/** Reads all segments of a project, page by page. */
export async function allSegments(
  service: HostedService,
  id: number,
  query: Partial<SegmentsQuery>,
  world: WorkingWorld,
): Promise<ShownSegment[]> {
  const shown: ShownSegment[] = [];
  let after: SegmentsQuery['after'];
  do {
    const selection = { maxBytes: 10_000_000, isGzip: false, ...query, after };
    const { json, next } = await service.segments({ id }, selection, world.call());
    shown.push(...JSON.parse(Buffer.from(decodeText(json)).toString()));
    after = next;
  } while (after);
  return shown;
}
