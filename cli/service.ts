import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StartToleranceSeconds } from '../functions/compose/settings.ts';
import { guardCompany } from '../lib/credentials/company-record.ts';
import { hostedService } from '../lib/hosted/service.ts';
import type { Guard } from '../lib/idempotency/commit.ts';
import type { ProjectService } from '../lib/service/port.ts';
import type { Storage } from '../lib/storage/port.ts';
import { upstreamService } from '../lib/upstream/service.ts';
import { behindThisMachine, openBehind } from './behind.ts';
import type { Surroundings } from './program.ts';

/**
 * The service of this machine's Segue: as `npm start` with the same environment has it.
 * @param url of the service behind, where there is one
 * @throws {BehindUnusable}
 */
export function serviceOfThisMachine(
  surroundings: Surroundings,
  storage: Storage,
  url: string | undefined,
): ProjectService {
  const now = Date.now;
  const guard: Guard = { presume: () => undefined, require: ({ companyId }) => guardCompany(storage, companyId) };
  const seconds = surroundings.env['SEGUE_START_TOLERANCE_SECONDS'];
  const startDateToleranceMs = seconds ? StartToleranceSeconds.parse(seconds) * 1_000 : undefined;
  if (url === undefined) return hostedService({ storage, now, random: Math.random, startDateToleranceMs, guard });
  return upstreamService({
    ...openBehind({ ...behindThisMachine(surroundings), url }),
    storage,
    now,
    sleep: (ms) => setTimeout(ms),
    newId: randomUUID,
    startDateToleranceMs,
    guard,
  });
}
