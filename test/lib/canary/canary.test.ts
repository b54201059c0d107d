import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canaryHandler } from '../../../lib/canary/canary-handler.ts';
import { canaryProject } from '../../../lib/canary/canary-project.ts';
import { partnerApi } from '../../../lib/canary/partner-api.ts';
import { CHECK_MS, runChecks } from '../../../lib/canary/run-checks.ts';
import { CANARY_UNSET, type CanaryMode } from '../../../lib/contract/canary.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { SegueClient } from '../../../packages/client/segue-client.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => void (await gateway.stop()));

interface RunOptions {
  readonly mode?: CanaryMode;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly companyId?: string;
  readonly timeoutMs?: number;
}

/** Runs the canary once. @returns the log lines */
async function run({ mode = 'create', baseUrl = gateway.url, timeoutMs = 240_000, ...key }: RunOptions = {}) {
  const lines: LogLine[] = [];
  const { companyId, apiKey } = gateway;
  const secret = JSON.stringify({ companyId, apiKey, ...key });
  let sleptMs = 0;
  const sleep = async (ms: number) => {
    sleptMs += ms;
  };
  const handler = canaryHandler(
    { baseUrl, mode, readSecret: async () => secret, sleep },
    { now: () => Date.now() + sleptMs, log: (line) => void lines.push(line) },
  );
  await handler({}, { awsRequestId: 'run', getRemainingTimeInMillis: () => timeoutMs });
  return lines;
}

const client = () => new SegueClient({ baseUrl: gateway.url, ...gateway });
const idsOf = async () => (await client().listProjects()).projects.map(({ customId }) => customId);
const DONE = [{ operation: 'canary', requestId: 'run', durationMs: expect.any(Number) }];

describe('the canary', () => {
  it('creates a project once, and leaves nothing behind', async () => {
    const lastId = (await client().listEvents({ limit: 100 })).events.at(-1)?.id;
    expect(await run()).toEqual(DONE);
    expect(await idsOf()).toEqual([]);
    const { events } = await client().listEvents({ limit: 100, ...(lastId !== undefined && { after: lastId }) });
    expect(events.map(({ type }) => type)).toEqual(['project.created', 'project.deleted']);
  });

  it('creates nothing if it only reads', async () => {
    const before = (await client().listEvents({ limit: 100 })).events.length;
    expect(await run({ mode: 'reads' })).toEqual(DONE);
    expect((await client().listEvents({ limit: 100 })).events).toHaveLength(before);
  });

  it('deletes what an earlier run left, and neither other projects nor those of a run that goes on', async () => {
    const [old, odd, running, foreign] = [
      `canary-${Date.now() - 600_000}`,
      'canary-odd',
      `canary-${Date.now()}`,
      'canaries-are-birds',
    ];
    for (const customId of [old, odd, running, foreign])
      await client().createProject({ ...canaryProject(Date.now()), customId });
    expect(await run({ mode: 'reads' })).toEqual(DONE);
    expect((await idsOf()).sort()).toEqual([foreign, running].sort());
    for (const customId of [running, foreign]) await client().deleteProjectByCustomId(customId, 'project');
  });

  it('reads a project that the operator keeps for it, and none of its own', async () => {
    for (const [customId, reads] of [
      ['kept', 1],
      [`canary-${Date.now()}`, 0],
    ] as const) {
      const { id } = await client().createProject({ ...canaryProject(Date.now()), customId });
      const { companyId, apiKey } = gateway;
      const ofRun = partnerApi({ baseUrl: gateway.url, companyId, apiKey, now: Date.now, timeoutMs: CHECK_MS });
      const getProject = vi.spyOn(ofRun, 'getProject');
      await runChecks({ api: ofRun, mode: 'reads', now: Date.now, deadline: { remainingMs: () => 240_000 } });
      expect(getProject.mock.calls).toEqual(Array(reads).fill([id]));
      await client().deleteProject(id, 'project');
    }
  });

  it('alerts with the check that failed and its trace, and never with the key', async () => {
    const lines = await run({ apiKey: 'not-a-key-at-all' });
    expect(lines).toEqual([
      {
        ...DONE[0],
        alert: 'canary-failed',
        check: 'sign-in',
        companyId: 'sandbox',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        problem: 'internal-error',
        cause: { name: 'CheckFailed', code: 'unauthenticated', frames: expect.any(Array) },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('not-a-key-at-all');
  });

  it('alerts if the API does not answer', async () => {
    const lines = await run({ baseUrl: 'http://127.0.0.1:9' });
    expect(lines).toMatchObject([{ alert: 'canary-failed', check: 'health', cause: { code: 'no-answer' } }]);
    expect(lines[0]).not.toHaveProperty('traceId');
  });

  it('alerts if its time is over', async () => {
    const lines = await run({ timeoutMs: 10_000 });
    expect(lines).toMatchObject([{ alert: 'canary-failed', check: 'health', cause: { code: 'out-of-time' } }]);
  });

  it('asks for its key while it has none, and sends nothing', async () => {
    const lines = await run({ companyId: CANARY_UNSET, baseUrl: 'http://127.0.0.1:9' });
    expect(lines).toEqual([...DONE, { ...DONE[0], alert: 'canary-without-key' }]);
  });
});
