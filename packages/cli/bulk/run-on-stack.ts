import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  DescribeMapRunCommand,
  type DescribeMapRunOutput,
  ListMapRunsCommand,
  SFNClient,
  StartExecutionCommand,
  type StartExecutionInput,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import * as z from 'zod/mini';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { manifestKey } from '../../../lib/workflow/bulk/manifests-in-s3.ts';
import type { BulkEnd, BulkRequest, BulkResult } from '../deployment.ts';
import { CliError, UsageError } from '../io.ts';
import {
  companyRefusal,
  countEntries,
  type LocalManifest,
  RefusedLines,
  textOfFailed,
  withManifest,
} from './manifest-file.ts';
import { type Counts, Report } from './report.ts';
import { resultsOfMapRun } from './stack-results.ts';

/** The parts of a stack that bulk runs need. */
export interface BulkStack {
  readonly bucket: string;
  /**
   * The ARN of each company's state machine, as a JSON object by company id. Absent if the stack has no state machine.
   */
  readonly machines: string | undefined;
}

/**
 * Runs a manifest on a stack with the company's state machine, and waits until the execution has ended.
 * @throws {CliError} if the company has no state machine, the manifest cannot be read, or the execution failed
 * @throws {CompanyError} if the company does not exist or is suspended
 */
export async function runOnStack({ bucket, machines }: BulkStack, request: BulkRequest): Promise<BulkResult> {
  const { companyId = '', run, validateOnly, stop, report: target } = request;
  const stateMachineArn = machineOf(machines, companyId);
  const refused = new RefusedLines();
  const s3 = s3Client();
  const sfn = new SFNClient();
  return withManifest(request.path, async (file) => {
    const { sha256, entries } = await countEntries(file);
    const key = manifestKey(companyId, `${sha256}.jsonl`);
    await upload(s3, { bucket, key }, file);
    const name = `${sha256.slice(0, 16)}-${Date.now()}`;
    const input = JSON.stringify({ key, run, validateOnly });
    const report = new Report(target, { path: request.path, entries, validateOnly });
    const showProgress = (counts: Counts) => report.showProgress(counts);
    const ended = await runExecution(sfn, { stateMachineArn, name, input }, { stop, showProgress });
    const end = endOf(ended);
    const { mapRunArn = '' } = ended.mapRun ?? {};
    const results = `results/${companyId}/${mapRunArn.split(':').at(-1)}`;
    for await (const result of resultsOfMapRun(s3, bucket, results)) {
      if (result.outcome === 'failed') {
        refused.add(result.failure, result.range);
        report.add(result, await textOfFailed(file, result.range));
      } else report.add(result);
    }
    report.end();
    if (request.writeRefused) await refused.write(file, request.writeRefused);
    target.err(`Results: s3://${bucket}/${results}/\n`);
    return { end, failed: ended.mapRun ? countsOf(ended.mapRun).failed : 0, refused: refused.count };
  });
}

const Machines = z.record(z.string(), z.string());

function machineOf(machines = '{}', companyId: string): string {
  const arn = Machines.parse(JSON.parse(machines))[companyId];
  if (arn !== undefined) return arn;
  throw new CliError(
    'the stack has no state machine for the company: add the company to the setting bulkCompanies, such as -c bulkCompanies=<id>,<id>, and deploy the stack again',
  );
}

/** The largest object that S3 accepts in one request, in bytes. */
const MAX_UPLOAD_BYTES = 5 * 2 ** 30;

/**
 * Uploads a manifest. An equal manifest is uploaded only once, because the key is the hash of the content.
 * @throws {CliError} if the manifest is too large
 */
async function upload(
  client: S3Client,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  file: LocalManifest,
): Promise<void> {
  if (file.size > MAX_UPLOAD_BYTES)
    throw new UsageError('the manifest is larger than 5 GiB, the limit on a stack: split it');
  try {
    await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'NotFound')) throw error;
    const Body = Readable.from(file.chunks(), { objectMode: false });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength: file.size }));
  }
}

/** An execution that has ended. It has a map run if its preparation succeeded. */
interface EndedExecution {
  readonly execution: DescribeExecutionOutput;
  readonly mapRun: DescribeMapRunOutput | undefined;
}

interface FollowOptions {
  /** Aborted when the user stops the run. The execution is stopped then. */
  readonly stop: AbortSignal;
  readonly showProgress: (counts: Counts) => void;
}

const POLL_MS = 1_000;

/** Starts an execution, and reads its state every second until it has ended. */
async function runExecution(
  client: SFNClient,
  start: StartExecutionInput,
  { stop, showProgress }: FollowOptions,
): Promise<EndedExecution> {
  const { executionArn = '' } = await client.send(new StartExecutionCommand(start));
  let isStopped = false;
  for (;;) {
    const execution = await client.send(new DescribeExecutionCommand({ executionArn }));
    const mapRun = await mapRunOf(client, executionArn);
    if (mapRun) showProgress(countsOf(mapRun));
    if (execution.status !== 'RUNNING' && execution.status !== 'PENDING_REDRIVE') return { execution, mapRun };
    if (stop.aborted && !isStopped) {
      isStopped = true;
      await client.send(new StopExecutionCommand({ executionArn }));
    }
    await setTimeout(POLL_MS, undefined, isStopped ? {} : { signal: stop }).catch(() => {});
  }
}

async function mapRunOf(client: SFNClient, executionArn: string): Promise<DescribeMapRunOutput | undefined> {
  const { mapRuns = [] } = await client.send(new ListMapRunsCommand({ executionArn }));
  const mapRunArn = mapRuns[0]?.mapRunArn;
  return mapRunArn === undefined ? undefined : client.send(new DescribeMapRunCommand({ mapRunArn }));
}

function countsOf({ itemCounts }: DescribeMapRunOutput): Counts {
  const { succeeded = 0, failed = 0, timedOut = 0, aborted = 0 } = itemCounts ?? {};
  const allFailed = failed + timedOut + aborted;
  return { ended: succeeded + allFailed, failed: allFailed };
}

const TOO_MANY_FAILED = 'States.ExceedToleratedFailureThreshold';

/**
 * Returns how an execution ended.
 * @throws {CompanyError | CliError} if the execution failed before the map run ended
 */
function endOf({ execution: { status, error }, mapRun }: EndedExecution): BulkEnd {
  if (status === 'SUCCEEDED') return 'all-done';
  if (mapRun && status === 'ABORTED') return 'stopped';
  if (mapRun && error === TOO_MANY_FAILED) return 'too-many-failed';
  throw (
    companyRefusal(error) ??
    new CliError(`the execution ended with ${error ?? status}: look at the execution in the Step Functions console`)
  );
}
