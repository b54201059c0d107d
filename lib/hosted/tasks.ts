import type { Project, SegmentAnswer } from '../contract/project-answer.ts';

/** Makes a test whether a segment belongs to a task. A segment without a task id belongs to the task of its project. */
function belongsTo(taskId: string, { taskId: own }: Project): (segment: SegmentAnswer) => boolean {
  return (segment) => (segment.taskId ?? own) === taskId;
}

/** Returns a project with only the segments of one task; `undefined` if the project has no such task. */
export function onlyTask(project: Project, taskId: string): Project | undefined {
  const segments = project.segments.filter(belongsTo(taskId, project));
  return segments.length > 0 || project.taskId === taskId ? { ...project, segments } : undefined;
}

/**
 * Returns a project without one task: without its segments, and without the project's `taskId` if it names this task.
 * Returns `undefined` if the project has no such task.
 */
export function withoutTask(project: Project, taskId: string): Project | undefined {
  const isRemoved = belongsTo(taskId, project);
  const segments = project.segments.filter((segment) => !isRemoved(segment));
  const { taskId: own, ...rest } = project;
  if (segments.length === project.segments.length && own !== taskId) return undefined;
  return own === taskId ? { ...rest, segments } : { ...project, segments };
}
