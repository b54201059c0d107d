import * as z from 'zod/mini';
import { SWITCHES, type Switch } from '../../lib/contract/switches.ts';
import type { Variables } from './settings.ts';

/** The schema of `SEGUE_SWITCHED_OFF`: the parts of Segue that a stack does not have, separated by commas. */
const SwitchedOff = /* @__PURE__ */ z.array(
  z.enum(SWITCHES, `SEGUE_SWITCHED_OFF must be names with commas between them, of ${SWITCHES.join(', ')}`),
);

/** Reads which parts of Segue this stack does not have. @throws if the setting is wrong */
export function switchedOff(env: Variables = process.env): readonly Switch[] {
  const names = env['SEGUE_SWITCHED_OFF'];
  return names ? SwitchedOff.parse(names.split(',')) : [];
}
