import type { EventDeps, EventOrigin } from '../../records/outbox.ts';
import type { Storage, Write } from '../../storage/port.ts';
import { MAX_OF_WRITE, MAX_OPERATIONS } from '../../storage/transaction-size.ts';
import { readHead, readProject, type StoredProject } from '../read-projects.ts';
import { readLayout, readTaskRuns } from '../work/project-parts.ts';
import type { TaskId } from '../work/segment-tasks.ts';
import { openView } from '../work/translation-view.ts';
import { changeWork, HELD_PAUSE_MS, isHeld, type WorkEvent, workerOrigin } from '../work/work-change.ts';
import { codeOf, isAssignmentDue } from '../work/work-record.ts';
import { type AssignmentChange, assignTasks, type PlannedTask } from './assign-tasks.ts';
import { assignmentsWrite, pageKey, pageOf, pagesFor, readAssignmentPage } from './assignment-item.ts';
import { taskProgress } from './task-progress.ts';

/** How many pages of assignments one commit may change. */
const MAX_PAGES = 8;

/** The dependencies of assignments. */
export type AssignDeps = EventDeps &
  Pick<EventOrigin, 'traceId'> & {
    readonly storage: Storage;
    /** Waits for a number of milliseconds. */
    readonly sleep: (ms: number) => Promise<void>;
  };

/**
 * Assigns the tasks of a managed language. It reads the language once, and then stores batch after batch: each commit has
 * its events, and only the pages of assignments that it changes. If translations change meanwhile, it goes on, and the language
 * stays due. It may stop at any point: the next call assigns the rest.
 * @param index the index of the language in the project
 * @param isTimeLeft called before each commit; if it returns `false`, the work stops
 */
export async function assignLanguage(
  deps: AssignDeps,
  companyId: string,
  project: StoredProject,
  index: number,
  isTimeLeft: () => boolean,
): Promise<void> {
  const plan = await readPlan(deps.storage, companyId, project, index);
  if (!plan) return;
  const store = changer(deps, companyId, project, index, isTimeLeft);
  for (const { tasks, isLast } of batchesOf(plan.planned, plan.pageOfTask)) {
    const changes = tasks.flatMap((task) => task.changes);
    const writes = await plan.writesOf(tasks);
    if (!writes || !(await store({ changes, writes, isLast, pages: plan.pages }))) return;
  }
}

/** Reads a language, and plans the assignments of its tasks; `undefined` if the project changed while it was read. */
async function readPlan(storage: Storage, companyId: string, project: StoredProject, index: number) {
  const { id: projectId, work } = project;
  const [runs, layout, head] = await Promise.all([
    readTaskRuns(storage, project),
    readLayout(storage, project),
    readHead({ storage }, project.item),
  ]);
  const [language, requested] = [work.languages[index], head?.targetLanguages[index]];
  if (!runs || !layout || !language || !requested) return undefined;
  const { languageId } = language;
  const view = await openView(storage, companyId, project, layout);
  const statuses = await view.statuses(languageId);
  const pages = language.assignmentPages ?? pagesFor(new Set(runs.map(([task]) => task)).size);
  const read = await Promise.all(
    Array.from({ length: pages }, (_, page) =>
      readAssignmentPage(storage, pageKey({ companyId, projectId, languageId, page })),
    ),
  );
  const stored = new Map(read.entries());
  const rewritten = new Set<number>();
  const pageOfTask = (task: TaskId) => pageOf(task, pages);

  /** Makes the write that changes tasks of a page. */
  async function writeOf(number: number, tasks: readonly PlannedTask[]): Promise<Write | undefined> {
    const page = stored.get(number);
    if (!page) return undefined;
    const item = rewritten.has(number) ? await storage.read(page.key) : page.item;
    if (rewritten.has(number) && item?.version !== (page.item?.version ?? 0) + 1) return undefined;
    const byTask = new Map(page.byTask);
    for (const { taskId, assignments } of tasks) byTask.set(taskId, assignments);
    const changed = { ...page, item, byTask };
    stored.set(number, changed);
    rewritten.add(number);
    return assignmentsWrite(changed);
  }

  return {
    pages,
    pageOfTask,
    planned: assignTasks(
      requested,
      taskProgress(runs, statuses, requested),
      new Map(read.flatMap(({ byTask }) => [...byTask])),
    ),
    /** Makes the writes of the pages of tasks; `undefined` if another worker has changed one of them. */
    async writesOf(tasks: readonly PlannedTask[]): Promise<Write[] | undefined> {
      const byPage = Map.groupBy(tasks, ({ taskId }) => pageOfTask(taskId));
      const writes = await Promise.all(Array.from(byPage, ([page, own]) => writeOf(page, own)));
      const known = writes.filter((write) => write !== undefined);
      return known.length === writes.length ? known : undefined;
    },
  };
}

/** Divides planned tasks into those of one commit each, page by page. There is always a last batch, which may have no tasks. */
function* batchesOf(
  planned: Iterable<PlannedTask>,
  pageOfTask: (task: TaskId) => number,
): Generator<{ readonly tasks: readonly PlannedTask[]; readonly isLast: boolean }, void> {
  let tasks: PlannedTask[] = [];
  let changes = 0;
  let pages = new Set<number>();
  const byPage = Map.groupBy(planned, ({ taskId }) => pageOfTask(taskId));
  for (const [page, task] of [...byPage].flatMap(([page, own]) => own.map((task) => [page, task] as const))) {
    const [allChanges, allPages] = [changes + task.changes.length, new Set(pages).add(page)];
    // The work record takes one operation, and each change one for its event.
    if (allPages.size > MAX_PAGES || 1 + allChanges + MAX_OF_WRITE * allPages.size > MAX_OPERATIONS) {
      yield { tasks, isLast: false };
      [tasks, changes, pages] = [[], 0, new Set()];
    }
    tasks.push(task);
    changes += task.changes.length;
    pages.add(page);
  }
  yield { tasks, isLast: true };
}

/** The changes of a batch, and the writes that store them. */
interface BatchWrites {
  readonly changes: readonly AssignmentChange[];
  readonly writes: readonly Write[];
  /** The number of pages of the language's assignments. */
  readonly pages: number;
  readonly isLast: boolean;
}

/**
 * Creates the function that commits batches, one after the other.
 * @returns a function that returns `false` if the work must stop: the time is over, or the project was changed
 */
function changer(
  deps: AssignDeps,
  companyId: string,
  project: StoredProject,
  index: number,
  isTimeLeft: () => boolean,
): (batch: BatchWrites) => Promise<boolean> {
  const { storage, now, sleep } = deps;
  let current = project;
  let hasChanged = false;

  /** Reads the work again. @returns whether the plan still holds, although the translations may have changed */
  async function readAgain(): Promise<boolean> {
    const read = await readProject(storage, companyId, project.id);
    const language = read?.work.languages[index];
    if (!language || read.version !== project.version || !isAssignmentDue(language)) return false;
    hasChanged ||= read.work.revision !== current.work.revision;
    current = read;
    return true;
  }

  return async ({ changes, writes, pages, isLast }) => {
    while (isTimeLeft()) {
      const { work } = current;
      const language = work.languages[index];
      if (!language || (isLast && hasChanged && writes.length === 0)) return false;
      if (isHeld(work, now())) {
        await sleep(HELD_PAUSE_MS);
        if (!(await readAgain())) return false;
        continue;
      }
      const assignment = isLast && !hasChanged ? 'done' : 'due';
      const change = await changeWork(
        deps,
        workerOrigin(deps, companyId),
        current,
        { ...work, languages: work.languages.with(index, { ...language, assignment, assignmentPages: pages }) },
        changes.map((each) => eventOf(each, language.languageId)),
        { isAssigning: true },
      );
      const result = await storage.commit({ writes: [...change.writes, ...writes] });
      if (result.ok) {
        current = { ...current, work: change.work, workVersion: current.workVersion + 1 };
        return true;
      }
      // Another worker has changed the assignments, or the work record, which comes first.
      if (result.refused > 0 || !(await readAgain())) return false;
    }
    return false;
  };
}

function eventOf({ taskId, role, memberId }: AssignmentChange, languageId: number): WorkEvent {
  const task = taskId === null ? {} : { taskId };
  const data = { ...task, languageId, languageCode: codeOf(languageId), role };
  return memberId === null ? { type: 'task.unassigned', data } : { type: 'task.assigned', data: { ...data, memberId } };
}
