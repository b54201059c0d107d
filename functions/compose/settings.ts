import * as z from 'zod/mini';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type Rate, RateText } from '../../lib/credentials/rate-limit.ts';

/** A number of seconds as text, as a variable has it. */
export const StartToleranceSeconds = z.pipe(
  z
    .string()
    .check(z.regex(/^\d{1,6}$/, 'SEGUE_START_TOLERANCE_SECONDS must be a whole number of seconds from 0 to 999999')),
  z.transform(Number),
);

/** How often each company may ask. */
export const CompanyRateText = RateText('SEGUE_RATE');

/** How often each company may ask; `undefined` if that is not bounded. Empty is not set. */
export function companyRateSetting(): Rate | undefined {
  const text = process.env['SEGUE_RATE'];
  return text ? CompanyRateText.parse(text) : undefined;
}

const RecoveryDays = z.pipe(z.string().check(z.regex(/^\d{1,2}$/)), z.transform(Number));
const DAY_MS = 86_400_000;

/** For how long the table can be brought back to a moment, in milliseconds; `undefined` where it cannot. */
export function recoverableMs(): number | undefined {
  const text = process.env['SEGUE_RECOVERY_DAYS'];
  return text ? RecoveryDays.parse(text) * DAY_MS : undefined;
}

/** What both services take from the environment: how far off a start date may be, in milliseconds. Empty is not set. */
export function startDateToleranceMs(): number {
  const text = process.env['SEGUE_START_TOLERANCE_SECONDS'];
  return text ? StartToleranceSeconds.parse(text) * 1_000 : LIMITS.startDateToleranceMs;
}
