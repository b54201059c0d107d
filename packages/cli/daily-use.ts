import { charactersToday } from '../../lib/hosted/work/daily-characters.ts';
import { projectsToday } from '../../lib/records/daily-projects.ts';
import type { ItemReader } from '../../lib/storage/port.ts';
import type { DailyUse } from './deployment.ts';

/** Reads what a company has used today. @param store the store of its projects */
export async function dailyUse(store: ItemReader, companyId: string): Promise<DailyUse> {
  const nowMs = Date.now();
  const [projects, automaticCharacters] = await Promise.all([
    projectsToday(store, companyId, nowMs),
    charactersToday(store, companyId, nowMs),
  ]);
  return { projects, automaticCharacters };
}
