import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { RequireCompany } from '../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { bulkLineTask } from '../../lib/workflow/bulk/bulk-line.ts';
import type { Entry } from '../../lib/workflow/bulk/manifest.ts';
import { entriesOf } from '../../lib/workflow/bulk/scan-manifest.ts';
import { companyRefusal, requireUsableCompany } from './company.ts';
import { counted } from './counted.ts';
import { openFile } from './file.ts';
import { RefusedLines } from './refused-lines.ts';
import { Report } from './report.ts';
import type { BulkEnd, BulkRequest } from './request.ts';
import { runEntries } from './run.ts';
import { unusable } from './unusable.ts';

const CONCURRENCY = 8;
/** An entry that a process left open when it died is held for as long, and a second more. */
const TASK_MS = 15_000;

/** What a run on this machine works with. */
export interface LocalDeps {
  readonly service: ProjectService;
  readonly requireCompany: RequireCompany;
}

/**
 * Runs a manifest on this machine, with the task that is deployed.
 * @throws {CompanyError} if the company does not exist or is suspended, before the run or during it
 * @throws {ManifestUnusable}
 */
export async function runHere(
  { service, requireCompany }: LocalDeps,
  {
    companyId,
    concurrency = CONCURRENCY,
    toleratedPercent = 100,
    run,
    validateOnly,
    ...request
  }: BulkRequest & { readonly companyId: string },
): Promise<BulkEnd> {
  await requireUsableCompany(requireCompany, companyId);
  await using file = await openFile(request.path);
  const { entries } = await counted(file);
  const refused = new RefusedLines();
  const task = bulkLineTask(service, () => file, { now: Date.now, log: () => {}, requireCompany });
  const carryOut = async (entry: Entry) => {
    const result = await task({ companyId, run, validateOnly, entry }, newContext());
    if (result.outcome === 'failed') {
      const refusal = companyRefusal(result.failure);
      if (refusal) throw refusal;
      // perhaps because there are other lines now
      await file.requireUnchanged();
      refused.add(result.failure, entry);
    }
    return result;
  };
  const report = new Report(request.report, { entries, validateOnly });
  try {
    const end = await runEntries(entriesOf(file), {
      carryOut,
      done: (result) => report.add(result),
      concurrency,
      mostFailed: Math.floor((entries * toleratedPercent) / 100),
      stop: request.stop,
      sleep,
      random: Math.random,
    });
    if (request.refused) await refused.write(file, request.refused);
    return { end, failed: report.tally.failed, refused: refused.count };
  } catch (error) {
    throw unusable(error);
  } finally {
    report.end();
  }
}

function newContext() {
  const endsAt = performance.now() + TASK_MS;
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => endsAt - performance.now() };
}

async function sleep(ms: number, stop: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: stop }).catch(() => {});
}
