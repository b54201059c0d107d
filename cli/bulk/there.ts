import { SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod/mini';
import { s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { StackUnusable } from '../outputs.ts';
import { companyRefusal } from './company.ts';
import { counted } from './counted.ts';
import { type Ended, failedIn, followed } from './execution.ts';
import { openFile } from './file.ts';
import { uploaded } from './objects.ts';
import { RefusedLines } from './refused-lines.ts';
import { Report } from './report.ts';
import type { BulkEnd, BulkRequest } from './request.ts';
import type { RunEnd } from './run.ts';
import { resultsOfMapRun } from './stack-results.ts';
import { LinesFailed } from './unusable.ts';

/** What a stack has for bulk runs. */
export interface Deployed {
  readonly bucket: string;
  /** The state machines by company, as JSON; absent where there is none. */
  readonly machines: string | undefined;
}

const Machines = z.record(z.string(), z.string());
const TOO_MANY = 'States.ExceedToleratedFailureThreshold';

/**
 * Has a company's state machine run a manifest, and follows it to its end.
 * @throws {StackUnusable} if the company has no state machine
 * @throws {ManifestUnusable}
 * @throws {CompanyError} if the company does not exist or is suspended
 * @throws {LinesFailed} if the execution failed
 */
export async function runThere({ bucket, machines }: Deployed, request: BulkRequest): Promise<BulkEnd> {
  const { companyId = '', run, validateOnly, stop } = request;
  const stateMachineArn = machineOf(machines, companyId);
  await using file = await openFile(request.path);
  const { sha256, entries } = await counted(file);
  const refused = new RefusedLines();
  const s3 = s3Client();
  const sfn = new SFNClient();
  try {
    const key = await uploaded(s3, { bucket, companyId }, file, sha256);
    const name = `${sha256.slice(0, 16)}-${Date.now()}`;
    const input = JSON.stringify({ key, run, validateOnly });
    const report = new Report(request.report, { entries, validateOnly });
    const ended = await followed(sfn, { stateMachineArn, name, input }, { stop, show: (far) => report.show(far) });
    const end = endOf(ended);
    const { mapRunArn = '' } = ended.mapRun ?? {};
    const results = `results/${companyId}/${mapRunArn.split(':').at(-1)}`;
    for await (const result of resultsOfMapRun(s3, bucket, results)) {
      report.add(result);
      if (result.outcome === 'failed') refused.add(result.failure, result.range);
    }
    report.end();
    if (request.refused) await refused.write(file, request.refused);
    request.report.out(`Results: s3://${bucket}/${results}/\n`);
    return { end, failed: ended.mapRun ? failedIn(ended.mapRun) : 0, refused: refused.count };
  } finally {
    sfn.destroy();
    s3.destroy();
  }
}

function machineOf(machines = '{}', companyId: string): string {
  const arn = Machines.parse(JSON.parse(machines))[companyId];
  if (arn !== undefined) return arn;
  throw new StackUnusable('the stack has no state machine for the company: deploy it with -c bulkCompanies=<id>');
}

/** @throws {CompanyError | LinesFailed} if the execution ended before all lines were carried out */
function endOf({ execution: { status, error }, mapRun }: Ended): RunEnd {
  if (status === 'SUCCEEDED') return 'all-done';
  if (mapRun && status === 'ABORTED') return 'stopped';
  if (mapRun && error === TOO_MANY) return 'too-many-failed';
  throw (
    companyRefusal(error) ??
    new LinesFailed(`the execution ended with ${error ?? status}: see it in the console of Step Functions`)
  );
}
