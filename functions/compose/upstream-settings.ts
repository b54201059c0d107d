import * as z from 'zod/mini';
import { DEFAULT_MARK, MARK } from '../../lib/upstream/names.ts';

/** How custom ids at the service begin, as a variable has it. */
export const UpstreamMark = z
  .string()
  .check(z.regex(MARK, 'SEGUE_UPSTREAM_MARK must be 1 to 32 letters, digits, "_" or "-" of ASCII'));

const SETTLE = 'SEGUE_SETTLE_SECONDS must be a whole number of seconds from 1 to 3600';

/** How long what was sent to the service may take to show, as a variable has it. */
export const SettleSeconds = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,3}$/, SETTLE)),
  z.pipe(z.transform(Number), z.number().check(z.maximum(3_600, SETTLE))),
);

/** How the service behind Segue is used, from the environment; the time only where it is set. Empty is not set. */
export function upstreamSettings(): { readonly mark: string; readonly settleMs: number | undefined } {
  const { SEGUE_UPSTREAM_MARK: mark, SEGUE_SETTLE_SECONDS: seconds } = process.env;
  return {
    mark: mark ? UpstreamMark.parse(mark) : DEFAULT_MARK,
    settleMs: seconds ? SettleSeconds.parse(seconds) * 1_000 : undefined,
  };
}
