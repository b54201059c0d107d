import type { Project } from '../contract/answer.ts';

/** How many tasks a project has. Its own is one even where no segment bears it. */
export function countTasks({ taskId: own, segments }: Pick<Project, 'taskId' | 'segments'>): number {
  const tasks = new Set(own === undefined ? [] : [own]);
  for (const { taskId } of segments) if (taskId !== undefined) tasks.add(taskId);
  return tasks.size;
}

/** The project with the segments of one task only, `undefined` where it has no such task. */
export function onlyTask(project: Project, taskId: string): Project | undefined {
  const segments = project.segments.filter((segment) => (segment.taskId ?? project.taskId) === taskId);
  return segments.length > 0 || project.taskId === taskId ? { ...project, segments } : undefined;
}
