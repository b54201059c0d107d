import * as z from 'zod/mini';
import { type Fault, isFaultCode } from '../contract/fault.ts';

/** Faults as the store keeps them. */
export const KeptFaults = z.array(
  z.object({
    pointer: z.string(),
    code: z.custom<Fault['code']>(isFaultCode),
    detail: z.string(),
    allowed: z.exactOptional(z.array(z.union([z.string(), z.number()]))),
  }),
);
export type KeptFaults = z.infer<typeof KeptFaults>;

/** The first faults, up to a limit, in the form that the store keeps. `undefined` if there are none. */
export function keptFaults(faults: readonly Fault[] | undefined, limit: number): KeptFaults | undefined {
  const kept = faults
    ?.slice(0, limit)
    .map(({ allowed, ...fault }) => ({ ...fault, ...(allowed && { allowed: [...allowed] }) }));
  return kept && kept.length > 0 ? kept : undefined;
}
