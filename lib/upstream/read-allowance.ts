import { projectsToday } from '../records/daily-projects.ts';
import { allowanceOf, type DailyAllowance } from '../service/daily-allowance.ts';
import type { UpstreamDeps } from './deps.ts';

/** Reads what a company may do in a day, and what it has used today. Here Segue translates nothing, so no characters count. */
export async function readAllowance(
  { storage, now, limitsOf }: Pick<UpstreamDeps, 'storage' | 'now' | 'limitsOf'>,
  companyId: string,
): Promise<DailyAllowance> {
  const projects = (await limitsOf(companyId))?.projects;
  const use = {
    projects: (nowMs: number) => projectsToday(storage, companyId, nowMs),
    automaticCharacters: async () => 0,
  };
  return allowanceOf({ projects }, use, now());
}
