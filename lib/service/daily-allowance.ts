import { utc } from '../contract/date.ts';

const DAY_MS = 86_400_000;

/** The limits of a company for each day (UTC). An absent limit is none. */
export interface CompanyLimits {
  /** How many projects the company may create. */
  readonly projects?: number | undefined;
  /** How many characters an engine may translate for the company. */
  readonly automaticCharacters?: number | undefined;
}

/** Returns the limits of a company; `undefined` if it has none. */
export type LimitsOf = (companyId: string) => Promise<CompanyLimits | undefined>;

/** What a company may do today (UTC), and what it has used. Without a limit, nothing is counted: both are null. */
export interface DailyAllowance {
  readonly projectsADay: number | null;
  readonly projectsToday: number | null;
  readonly automaticCharactersADay: number | null;
  readonly automaticCharactersToday: number | null;
  /** When the next day begins. */
  readonly nextDayAtUtc: string;
}

/** Reads how much of each limit is used today. */
export type ReadUse = Readonly<Record<keyof CompanyLimits, (nowMs: number) => Promise<number>>>;

/** Reads the use of the limits that a company has. Without a limit, nothing is read for it. */
export async function allowanceOf(
  { projects, automaticCharacters }: CompanyLimits,
  use: ReadUse,
  nowMs: number,
): Promise<DailyAllowance> {
  const [projectsToday, automaticCharactersToday] = await Promise.all([
    projects === undefined ? null : use.projects(nowMs),
    automaticCharacters === undefined ? null : use.automaticCharacters(nowMs),
  ]);
  return {
    projectsADay: projects ?? null,
    projectsToday,
    automaticCharactersADay: automaticCharacters ?? null,
    automaticCharactersToday,
    nextDayAtUtc: utc(nowMs - (nowMs % DAY_MS) + DAY_MS),
  };
}
