import { projectsToday } from '../records/daily-projects.ts';
import { allowanceOf, type DailyAllowance } from '../service/daily-allowance.ts';
import type { HostedDeps } from './deps.ts';
import { charactersToday } from './work/daily-characters.ts';

/** Reads what a company may do in a day, and what it has used today. */
export async function readAllowance(
  { storage, now, limitsOf }: Pick<HostedDeps, 'storage' | 'now' | 'limitsOf'>,
  companyId: string,
): Promise<DailyAllowance> {
  const use = {
    projects: (nowMs: number) => projectsToday(storage, companyId, nowMs),
    automaticCharacters: (nowMs: number) => charactersToday(storage, companyId, nowMs),
  };
  return allowanceOf((await limitsOf(companyId)) ?? {}, use, now());
}
