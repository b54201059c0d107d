import { type LookupName, UPSTREAM_LOOKUPS } from '../../lib/contract/lookups.ts';
import { readSetting } from '../../lib/contract/settings.ts';

/** Reads which lookups of the upstream service the operator allows: none by default. */
export function allowedLookups(): readonly LookupName[] {
  return readSetting(UPSTREAM_LOOKUPS, process.env) ?? [];
}
