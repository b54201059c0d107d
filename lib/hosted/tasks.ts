import type { Project, SegmentAnswer } from '../contract/project-answer.ts';

/** Whether a segment belongs to a task. A segment without a task belongs to the project's own task. */
function belongsTo(taskId: string, { taskId: own }: Project): (segment: SegmentAnswer) => boolean {
  return (segment) => (segment.taskId ?? own) === taskId;
}

/** Counts the tasks of a project. Its own task counts even if no segment has it. */
export function countTasks({ taskId: own, segments }: Pick<Project, 'taskId' | 'segments'>): number {
  const tasks = new Set([own, ...segments.map(({ taskId }) => taskId)]);
  tasks.delete(undefined);
  return tasks.size;
}

/** Returns the project with the segments of one task only; `undefined` if it has no such task. */
export function onlyTask(project: Project, taskId: string): Project | undefined {
  const segments = project.segments.filter(belongsTo(taskId, project));
  return segments.length > 0 || project.taskId === taskId ? { ...project, segments } : undefined;
}

/** Returns the project without a task; `undefined` if it has no such task. */
export function withoutTask(project: Project, taskId: string): Project | undefined {
  const isRemoved = belongsTo(taskId, project);
  const segments = project.segments.filter((segment) => !isRemoved(segment));
  const { taskId: own, ...rest } = project;
  if (segments.length === project.segments.length && own !== taskId) return undefined;
  return own === taskId ? { ...rest, segments } : { ...project, segments };
}
