import type { PublishedEvent } from '../../../lib/contract/event.ts';
import type { TargetLanguageAnswer } from '../../../lib/contract/project-answer.ts';
import { assignTasks, needsTranslator } from '../../../lib/hosted/people/assign-tasks.ts';
import { pageKey, readAssignmentPage } from '../../../lib/hosted/people/assignment-item.ts';
import type { HostedService } from '../../../lib/hosted/service.ts';
import type { TaskId } from '../../../lib/hosted/work/segment-tasks.ts';
import { PROJECT_PREFIX } from '../../../lib/records/keys.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import { allSegments, Client, type Created } from './client.ts';
import type { ShownSegment } from './history.ts';
import { NO_FAULTS, type Process } from './turns.ts';
import { COMPANY, WorkingWorld } from './world.ts';

/** The number of rounds of a simulation, and of the things that each client does in a round. */
const ROUNDS = 4;
const ACTIONS = 3;
/** Longer than the lease of a stopped worker, in milliseconds. */
const LEASE_MS = 400_000;
/** The pause between the last runs if characters are limited, in milliseconds: each day has a few of them. */
const LIMITED_PAUSE_MS = 28_800_000;
/** After how many runs of the worker its jobs must have ended. */
const MAX_RUNS = 60;

/** What happened in some simulations. */
export interface WorkFigures {
  readonly projects: number;
  readonly events: number;
  readonly assigned: number;
  readonly completed: number;
  readonly updated: number;
}

/**
 * Simulates the work on projects: clients that create, put, translate, read and delete, workers that translate and assign, and
 * readers of the feed. Their calls fail and stop, in an order that the seed decides.
 * @throws an error with what broke a guarantee, and the seed
 */
export async function checkWork(seeds: number, first = 1): Promise<WorkFigures> {
  const figures = { projects: 0, events: 0, assigned: 0, completed: 0, updated: 0 };
  for (let seed = first; seed < first + seeds; seed++) {
    const { violations, events, projects } = await simulateWork(seed).catch((cause: unknown) => {
      throw new Error(`Seed ${seed} failed: ${cause instanceof Error ? cause.stack : cause}`);
    });
    if (violations.length > 0) throw new Error(`Seed ${seed}:\n${violations.join('\n')}`);
    figures.projects += projects;
    figures.events += events.length;
    figures.assigned += events.filter(({ type }) => type === 'task.assigned').length;
    figures.updated += events.filter(({ type }) => type === 'project.updated').length;
    figures.completed += events.filter(({ type }) => type === 'language.completed').length;
  }
  return figures;
}

async function simulateWork(seed: number) {
  const world = new WorkingWorld(seed);
  const { turns, random, history } = world;
  const projects: Created[] = [];
  const seen: string[] = [];
  turns.faults = random.pick([NO_FAULTS, { fails: 0.01, stops: 0.005 }, { fails: 0.05, stops: 0.02 }]);
  for (let round = 0; round < ROUNDS; round++) {
    await turns.run(act, act, work, work, readFeed);
    turns.nowMs += random.below(2) * LEASE_MS;
  }
  turns.faults = NO_FAULTS;
  for (let runs = 0; runs === 0 || hasJobs(world); runs++) {
    turns.nowMs += world.charactersPerDay === undefined ? LEASE_MS : LIMITED_PAUSE_MS;
    if (runs > MAX_RUNS) throw new Error('The jobs never end');
    await turns.run(work);
  }
  const reserved = [...world.reserved.values()].reduce((sum, characters) => sum + characters, 0);
  if (world.charactersPerDay !== undefined && reserved < world.received) {
    history.complain(`the engine received ${world.received} characters, and ${reserved} were counted`);
  }
  const events: PublishedEvent[] = [];
  await turns.run(readAll);
  await turns.run((process) => new Final(world, process, projects, events).check());
  return { violations: history.violations, events, projects: projects.length };

  async function act(process: Process): Promise<void> {
    const client = new Client(world, world.service(process), projects);
    for (let n = 0; n < ACTIONS; n++) await client.act();
  }

  // A failure of the store ends a worker or a reader, and the next one goes on.
  async function work(process: Process): Promise<void> {
    await world.work(process).catch(() => {});
  }

  async function readFeed(process: Process): Promise<void> {
    const range = { after: seen.at(-1), limit: 1 + random.below(5) };
    const page = await world
      .feed(process)
      .page(range, world.call())
      .catch(() => undefined);
    seen.push(...(page?.events ?? []).map(({ id }) => id));
  }

  async function readAll(process: Process): Promise<void> {
    const page = await world.feed(process).page({ limit: 10_000 }, world.call());
    events.push(...page.events);
    const ids = events.map(({ id }) => id);
    if (seen.some((id, index) => ids[index] !== id)) history.complain('the feed has changed before its end');
    if (new Set(ids).size !== ids.length) history.complain('the feed repeats an event');
  }
}

function hasJobs({ store }: WorkingWorld): boolean {
  return store.all().some(({ partition }) => partition.startsWith('jobs/'));
}

/** The items that stay of a deleted project: ids and times. */
const KEPT = /^(tombstone|revision|event|feed|request|characters|lease)/;

/** The checks when all work is done. */
class Final {
  readonly #world: WorkingWorld;
  readonly #projects: readonly Created[];
  readonly #events: readonly PublishedEvent[];

  readonly #service: HostedService;

  constructor(world: WorkingWorld, process: Process, projects: readonly Created[], events: readonly PublishedEvent[]) {
    this.#world = world;
    this.#service = world.service(process);
    this.#projects = projects;
    this.#events = events;
  }

  async check(): Promise<void> {
    const { history, completions } = this.#world;
    for (const [id, events] of Map.groupBy(this.#events, ({ data }) => data.projectId)) {
      if (events.some(({ sequence }, index) => sequence !== index + 1))
        history.complain(`the events of ${id} have a gap`);
      if (events[0]?.type !== 'project.created') history.complain(`the first event of ${id} is ${events[0]?.type}`);
      const ends = events.findIndex(({ type }) => type === 'project.deleted');
      if (ends !== -1 && ends !== events.length - 1) history.complain(`${id} has events after its deletion`);
      const isGone = !this.#alive().has(id);
      if ((ends !== -1) !== isGone) history.complain(`${id} is ${isGone ? '' : 'not '}deleted, unlike its events`);
      if (isGone) this.#checkLeft(id);
    }
    for (const [task, { sent, confirmed }] of history.taskDeletions) {
      const [id, taskId] = task.split('/');
      if (taskId === 'undefined') continue;
      const told = this.#events.filter(
        ({ type, data }) => type === 'task.deleted' && `${data.projectId}` === id && data.taskId === taskId,
      );
      if (told.length < confirmed || told.length > sent)
        history.complain(`the deletions of the task ${task} have ${told.length} events`);
    }
    const completed = Map.groupBy(
      this.#events.filter(({ type }) => type === 'language.completed'),
      ({ data }) => `${data.projectId}/${data.languageId}`,
    );
    for (const name of new Set([...completed.keys(), ...completions.keys()])) {
      const [told, counted] = [completed.get(name)?.length ?? 0, completions.get(name) ?? 0];
      if (told !== counted) history.complain(`${name} was completed ${counted} times, and reported ${told} times`);
    }
    for (const project of this.#projects) if (this.#alive().has(project.id)) await this.#checkProject(project);
  }

  #alive(): Set<number> {
    const sorts = this.#world.store.sorts(`company/${COMPANY}`).filter((sort) => sort.startsWith(PROJECT_PREFIX));
    return new Set(sorts.map((sort) => Number(sort.slice(PROJECT_PREFIX.length))));
  }

  #checkLeft(id: number): void {
    const left = this.#world.store.all().filter(({ sort }) => sort.includes(String(id)) && !KEPT.test(sort));
    for (const { sort } of left) this.#world.history.complain(`${sort} is left of a deleted project`);
  }

  async #checkProject({ id }: Created): Promise<void> {
    const { history } = this.#world;
    const service = this.#service;
    const shown = await allSegments(service, id, {}, this.#world);
    const document = await service.get({ id }, undefined, this.#world.call());
    const { targetLanguages } = JSON.parse(Buffer.from(decodeText(document.json)).toString());
    const progress = await service.progress({ id }, undefined, this.#world.call());
    for (const segment of shown) {
      history.check(id, segment, history.snapshot());
      for (const translation of segment.translations) history.checkVersion(id, segment, translation);
    }
    const languages: readonly TargetLanguageAnswer[] = targetLanguages;
    for (const [index, language] of languages.entries()) {
      const { targetLanguageId: languageId } = language;
      const finals = shown.filter((segment) => isFinal(language, segment, languageId)).length;
      const expected = shown.length === 0 ? language.progress : Math.floor((finals * 100) / shown.length);
      const listed = JSON.stringify(progress['languages']);
      if (language.progress !== expected) history.complain(`${id} has ${language.progress} %, not ${expected} %`);
      if (
        shown.length > 0 &&
        !listed.includes(
          `"languageId":${languageId},"languageCode":"${language.targetLanguageCode}","progress":${expected}`,
        )
      )
        history.complain(`the progress of ${id} is ${listed}, not ${expected}`);
      const { state } = language.automaticTranslation ?? {};
      if (language.state === 'InProgress' && (state === 'queued' || state === 'running'))
        history.complain(`${id} is ${state}, and has no job`);
      await this.#checkAssignments(id, index, language, shown);
    }
  }

  /** Checks that nothing is left to assign, and that each assignment was reported. */
  async #checkAssignments(id: number, index: number, language: TargetLanguageAnswer, shown: readonly ShownSegment[]) {
    const { history, store } = this.#world;
    // Each project here has few tasks, which are on one page.
    const { byTask } = await readAssignmentPage(
      store,
      pageKey({ companyId: COMPANY, projectId: id, languageId: language.targetLanguageId, page: 0 }),
    );
    const told = this.#events.filter(
      ({ type, data }) =>
        /^task\.(un)?assigned$/.test(type) && data.projectId === id && data.languageId === language.targetLanguageId,
    );
    if (!language.managedProject) {
      const wasManaged = history.managed.has(`${id} ${language.targetLanguageId}`);
      if (told.length + byTask.size > 0 && !wasManaged) history.complain(`${id} is not managed, and has assignments`);
      return;
    }
    for (const [taskId, roles] of byTask) {
      for (const [role, { memberId }] of Object.entries(roles)) {
        const last = told.findLast(({ data }) => (data.taskId ?? null) === taskId && data.role === role);
        if ((last?.data.memberId ?? null) !== memberId)
          history.complain(`${id} ${taskId} ${role}: ${memberId} was not reported`);
      }
    }
    if (language.state !== 'InProgress') return;
    const translated = needsTranslator(language)
      ? ['translated', 'proofread']
      : ['automatic', 'pretranslated', 'translated', 'proofread'];
    const tasks = [...Map.groupBy(shown, ({ source }): TaskId => source.taskId ?? null)].map(([taskId, segments]) => {
      const statuses = segments.map(({ translations }) => translations[index]?.status ?? 'untranslated');
      return {
        taskId,
        total: segments.length,
        translated: statuses.filter((status) => translated.includes(status)).length,
        proofread: statuses.filter((status) => status === 'proofread').length,
      };
    });
    const changes = Array.from(assignTasks(language, tasks, byTask)).flatMap((task) => task.changes);
    if (changes.length > 0) history.complain(`${id} has not assigned ${JSON.stringify(changes)}`);
  }
}

const RANKS = ['untranslated', 'draft', 'automatic', 'pretranslated', 'translated', 'proofread'];

/** Whether a translation is final, as the decisions about progress say. */
function isFinal(language: TargetLanguageAnswer, { translations }: ShownSegment, languageId: number): boolean {
  const { status = 'untranslated' } = translations.find((each) => each.languageId === languageId) ?? {};
  const { serviceProofreading, serviceTranslation, serviceAutomaticTranslation } = language;
  const from = serviceProofreading
    ? 'proofread'
    : serviceTranslation || !serviceAutomaticTranslation
      ? 'translated'
      : 'automatic';
  return RANKS.indexOf(status) >= RANKS.indexOf(from);
}
