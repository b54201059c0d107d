import type { Project, SegmentAnswer } from '../contract/answer.ts';

/** Whether a segment belongs to a task: one without a task of its own belongs to the project's. */
function belongs(segment: SegmentAnswer, taskId: string, own: string | undefined): boolean {
  return (segment.taskId ?? own) === taskId;
}

/** How many tasks a project has. Its own is one even where no segment bears it. */
export function countTasks({ taskId: own, segments }: Pick<Project, 'taskId' | 'segments'>): number {
  const tasks = new Set(own === undefined ? [] : [own]);
  // Segments of a task mostly stand together.
  let last = own;
  for (const { taskId } of segments) {
    if (taskId === undefined || taskId === last) continue;
    tasks.add(taskId);
    last = taskId;
  }
  return tasks.size;
}

/** The project with the segments of one task only, `undefined` where it has no such task. */
export function onlyTask(project: Project, taskId: string): Project | undefined {
  const segments = project.segments.filter((segment) => belongs(segment, taskId, project.taskId));
  return segments.length > 0 || project.taskId === taskId ? { ...project, segments } : undefined;
}

/** The project as it is without a task, `undefined` where it has no such task. Nothing else of it changes. */
export function withoutTask(project: Project, taskId: string): Project | undefined {
  const { taskId: own, ...rest } = project;
  const segments = project.segments.filter((segment) => !belongs(segment, taskId, own));
  if (segments.length === project.segments.length && own !== taskId) return undefined;
  return own === taskId ? { ...rest, segments } : { ...project, segments };
}
