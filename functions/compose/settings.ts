import * as z from 'zod/mini';
import { LIMITS } from '../../lib/contract/limits.ts';

const Settings = z.object({
  SEGUE_START_TOLERANCE_SECONDS: z.optional(
    z.string().check(z.regex(/^\d{1,6}$/, 'SEGUE_START_TOLERANCE_SECONDS must be a number of seconds')),
  ),
});

/** What both services take from the environment: how far off a start date may be, in milliseconds. */
export function startDateToleranceMs(): number {
  const { SEGUE_START_TOLERANCE_SECONDS: seconds } = Settings.parse(process.env);
  return seconds === undefined ? LIMITS.startDateToleranceMs : Number(seconds) * 1_000;
}
