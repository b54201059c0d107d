import { Problem } from '../../../lib/contract/problem.ts';
import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';
import { checkTranslations } from '../../../lib/contract/translations.ts';
import type { HostedService } from '../../../lib/hosted/service.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { SegmentsQuery } from '../../../lib/service/port.ts';
import { checked } from '../../lib/support.ts';
import { type JsonObject, member, segment } from '../../support/projects.ts';
import { placeOf, type ShownSegment } from './history.ts';
import type { WorkingWorld } from './world.ts';

/** A project that a client created. */
export interface Created {
  readonly id: number;
  readonly segments: readonly { readonly id: number; readonly taskId: string | undefined }[];
  readonly languages: readonly { readonly id: number; readonly code: string }[];
}

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
      if (chance < 0.5) return await this.#write(project);
      if (chance < 0.8) return await this.#read(project);
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
    const { random } = this.#world;
    const isLong = random.chance(0.2);
    const segments = Array.from({ length: 1 + random.below(6) }, () => {
      const content = `${this.#world.newName()} ${isLong ? 'x'.repeat(LONG) : ''}`;
      const taskId = random.pick(TASKS);
      return segment({ content, ...(taskId !== null && { taskId }) });
    });
    const languages = LANGUAGES.slice(0, 1 + random.below(LANGUAGES.length));
    const targetLanguages = languages.map(({ code }): JsonObject => {
      const isManaged = random.chance(0.5);
      return {
        targetLanguageCode: code,
        state: random.chance(0.8) ? 'InProgress' : 'InPreparation',
        managedProject: isManaged,
        serviceAutomaticTranslation: random.chance(0.7),
        serviceTranslation: random.chance(0.5),
        serviceProofreading: random.chance(0.5),
        ...(!(isManaged && random.chance(0.2)) && { team: TEAM }),
      };
    });
    const document = await this.#service.create(checked({ targetLanguages, segments }), this.#world.call());
    const made = JSON.parse(Buffer.from(decodeText(document.json)).toString());
    const ids = made.segments.map(({ id, taskId }: { id: number; taskId?: string }) => ({ id, taskId }));
    this.#projects.push({ id: document.id, segments: ids, languages });
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
      if (gone.has(`${id}/${segment.source.taskId}`)) history.complain(`${id} shows a deleted task`);
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
    const scope = taskId === undefined ? ({ kind: 'project' } as const) : ({ kind: 'task', taskId } as const);
    await this.#service.delete({ id }, scope, this.#world.call());
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
];

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
