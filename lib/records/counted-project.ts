import type { Key, Write } from '../storage/port.ts';
import { companyPartition } from './keys.ts';

/** A project that is counted: the day (UTC), and the number of the counter. */
export interface CountedProject {
  readonly day: string;
  readonly counter: number;
}

const PREFIX = 'projects-a-day/';
/** How long counters are kept from the beginning of their day, in milliseconds. */
const KEPT_MS = 8 * 86_400_000;

/** The counters of a day: of projects that were counted, and of those that were not created in the end. */
type CounterKind = 'counted' | 'returned';

/** Returns the storage key of a counter. */
export function counterKey(companyId: string, kind: CounterKind, { day, counter }: CountedProject): Key {
  return { partition: companyPartition(companyId), sort: `${PREFIX}${day}/${kind}/${counter}` };
}

/** Makes the write that adds one to a counter. */
export function counterWrite(companyId: string, kind: CounterKind, counted: CountedProject) {
  const expiresAtMs = Date.parse(counted.day) + KEPT_MS;
  return { kind: 'put', key: counterKey(companyId, kind, counted), data: {}, expiresAtMs } as const;
}

/** Makes the write that takes a counted project back, because it was not created. */
export function returnProject(companyId: string, counted: CountedProject): Write {
  return counterWrite(companyId, 'returned', counted);
}

/** Whether a write counts a project. */
export function countsProject({ key }: Write): boolean {
  return key.sort.startsWith(PREFIX);
}
