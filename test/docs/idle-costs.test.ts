import { describe, expect, it } from 'vitest';
import { LINE } from '../../infra/api/access-logs.ts';
import type { BackgroundContext, BackgroundFunction } from '../../lib/background/background-function.ts';
import { withHeartbeat } from '../../lib/background/heartbeat.ts';
import { jobHandler } from '../../lib/background/job-queue.ts';
import { reconciler } from '../../lib/background/reconciler.ts';
import { sweeper } from '../../lib/background/sweep-handler.ts';
import { eventSender, sendHandler } from '../../lib/events/event-sender.ts';
import { jobWorker } from '../../lib/hosted/work/job-worker.ts';
import { createProject } from '../../lib/operations/create-project.ts';
import { jsonLog, type LogLine } from '../../lib/service/log.ts';
import { sweep } from '../../lib/storage/dynamodb/sweeper.ts';
import { openOperations } from '../../lib/upstream/open-operations.ts';
import { deliveryHandler, deliveryWorker } from '../../lib/webhooks/delivery-worker.ts';
import { IDLE_RUNS, idleUsd, LOGGED_BYTES } from '../../tools/docs/idle-costs.ts';
import { contextOf, documentWith, eventOf, fakeService } from '../lib/http/fixture.ts';
import { heldNow, project } from '../lib/support.ts';
import { MeteredStore } from './metered-store.ts';
import { read } from './world.ts';

const never = (): never => {
  throw new Error('Unexpected call');
};

describe('docs/cost.md', () => {
  it.each(Object.entries(IDLE_RUNS))('computes a run of %s that finds nothing to do', async (name, computed) => {
    const metered = new MeteredStore();
    const lines: LogLine[] = [];
    const options = { now: heldNow, log: (line: LogLine) => void lines.push(line) };
    const run = runsOn(metered, options)[name];
    if (!run) throw new RangeError(`No test runs ${name}`);
    await run({ source: 'aws.events' }, contextOf(200_000));
    const { readUnits, writeUnits } = metered.taken();
    expect({ readUnits, writeUnits }).toEqual(computed);
    expect(lines).toHaveLength(1);
  });
});

it('docs/deploy.md says what an idle stack for development costs', () => {
  const [, shown] = /idle it costs\s+\[about US\$ (\d\.\d\d) a month\]/.exec(read('docs/deploy.md')) ?? [];
  expect(Number(shown)).toBeCloseTo(idleUsd('hosted', 'development'), 1);
});

/** CloudWatch charges for each line as if it were so much longer, in bytes. */
const AROUND_LINE = 26;

it('docs/cost.md assumes lines of about the right length', async () => {
  const written: string[] = [];
  const log = jsonLog({ AWS_LAMBDA_FUNCTION_VERSION: '12' }, (text) => void written.push(text));
  const company = { companyId: 'a-company', keyId: 'k'.repeat(22), scopes: 'create read delete', keyVersion: '1' };
  const ask = createProject(fakeService({ create: () => documentWith(77) }), { now: heldNow, log });
  await ask(eventOf('createProject', { body: JSON.stringify(project()), authorizer: company }), contextOf());
  const [line = ''] = written;
  // The id of a request on AWS is longer than that of the test.
  const missing = ACCESS.requestId.length - 'request-1'.length;
  expectAbout(line.length + missing + AROUND_LINE, LOGGED_BYTES.line);
  const values = new Map<string, string>(Object.entries(ACCESS));
  const access = Object.keys(LINE).map((name) => [name, values.get(name) ?? '1234']);
  expectAbout(JSON.stringify(Object.fromEntries(access)).length + AROUND_LINE, LOGGED_BYTES.access);
});

function expectAbout(bytes: number, assumed: number): void {
  expect(Math.abs(bytes / assumed - 1)).toBeLessThan(0.1);
}

/** Values of the access log that are longer than a number. */
const ACCESS = {
  requestId: '3b241101-e2bb-4255-8caf-4136c566a962',
  method: 'POST',
  route: '/segments/projects/custom/{customId}',
  tlsVersion: 'TLSv1.3',
  companyId: 'a-company',
  keyId: 'k'.repeat(22),
};

/** Returns scheduled functions on an empty store. */
function runsOn(
  metered: MeteredStore,
  options: { readonly now: () => number; readonly log: (line: LogLine) => void },
): Record<string, BackgroundFunction<unknown, BackgroundContext>> {
  const { storage: store, client, objects } = metered;
  const { now } = options;
  const beating = <Result>(run: BackgroundFunction<Result>) => withHeartbeat(run, () => store, now);
  const worker = { store, now, random: never, onAttempt: never };
  const delivery = {
    service: fakeService({}),
    mapper: { apply: never, check: never, close: never },
    findSource: never,
    openFetch: never,
    requireCompany: never,
  };
  const jobs = jobWorker({ storage: store, now, sleep: never, translate: never, newEventId: never, onAttempt: never });
  return {
    jobs: jobHandler(jobs, options),
    sendEvents: sendHandler(eventSender({ ...worker, secretsOf: never, send: never }), options),
    deliveries: deliveryHandler(deliveryWorker({ ...worker, ...delivery }), options),
    sweeper: beating(
      sweeper(
        { all: (isTimeLeft) => sweep({ table: 'segue', client, objects, now }, isTimeLeft), one: never },
        options,
      ),
    ),
    reconciler: beating(
      reconciler(async () => {
        for await (const _ of openOperations(store)) never();
        return { settled: 0, givenUp: 0, left: 0, oldestMs: 0 };
      }, options),
    ),
  };
}
