import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../lib/contract/problem.ts';
import { failureName } from '../../lib/contract/problems.ts';
import type { RequireCompany } from '../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { bulkLineTask } from '../../lib/workflow/bulk/bulk-line.ts';
import type { Entry } from '../../lib/workflow/bulk/manifest.ts';
import { entriesOf } from '../../lib/workflow/bulk/scan-manifest.ts';
import type { BulkRequest, BulkResult } from '../deployment.ts';
import { asUsageError, countEntries, openManifest } from './manifest-file.ts';
import { companyRefusal, RefusedLines } from './refused-lines.ts';
import { Report } from './report.ts';
import { runEntries } from './run-entries.ts';

const DEFAULT_CONCURRENCY = 8;
/** The time for one line. After a kill, its lease lasts as long, and a second more. */
const TASK_MS = 15_000;

export interface LocalRunDeps {
  readonly service: ProjectService;
  readonly requireCompany: RequireCompany;
}

/**
 * Runs a manifest on this machine, with the same task that is deployed.
 * @throws {CompanyError} if the company does not exist or is suspended, before the run or during it
 * @throws {CliError} if the manifest cannot be read, or changes
 */
export async function runLocally(
  { service, requireCompany }: LocalRunDeps,
  {
    companyId,
    concurrency = DEFAULT_CONCURRENCY,
    toleratedPercent = 100,
    run,
    validateOnly,
    ...request
  }: BulkRequest & { readonly companyId: string },
): Promise<BulkResult> {
  await requireCompany(companyId).catch((error: unknown) => {
    throw (error instanceof Problem && companyRefusal(failureName(error.name))) || error;
  });
  const file = await openManifest(request.path);
  try {
    const { entries } = await countEntries(file);
    const refused = new RefusedLines();
    const task = bulkLineTask(service, () => file, { now: Date.now, log: () => {}, requireCompany });
    const runLine = async (entry: Entry) => {
      const result = await task({ companyId, run, validateOnly, entry }, newContext());
      if (result.outcome === 'failed') {
        const refusal = companyRefusal(result.failure);
        if (refusal) throw refusal;
        // The line may have failed because the file changed.
        await file.requireUnchanged();
        refused.add(result.failure, entry);
      }
      return result;
    };
    const report = new Report(request.report, { entries, validateOnly });
    try {
      const end = await runEntries(entriesOf(file), {
        runLine,
        onResult: (result) => report.add(result),
        concurrency,
        maxFailed: Math.floor((entries * toleratedPercent) / 100),
        stop: request.stop,
        sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
        random: Math.random,
      });
      if (request.writeRefused) await refused.write(file, request.writeRefused);
      return { end, failed: report.failed, refused: refused.count };
    } catch (error) {
      throw asUsageError(error);
    } finally {
      report.end();
    }
  } finally {
    await file.close();
  }
}

/** The context that Lambda would give to the task. */
function newContext() {
  const endsAtMs = performance.now() + TASK_MS;
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => endsAtMs - performance.now() };
}
