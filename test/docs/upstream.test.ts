import { afterAll, describe, expect, it } from 'vitest';
import { problemFrom } from '../../lib/upstream/failures.ts';
import { CREATE, DELETE, READ } from '../../lib/upstream/requests.ts';
import { failedResponse } from '../../lib/upstream/upstream-answer.ts';
import { startGateway } from '../support/gateway.ts';
import { blocks, read, sh, timeless } from './world.ts';

const PAGE = read('docs/upstream-start.md');
const FAILURES = read('docs/upstream-failures.md');
const [simulate = '', start = '', create = '', find = '', audit = ''] = blocks(PAGE, 'sh');

/** Returns the variables that a command of the page sets, except its data folder. */
function settingsIn(command: string): Record<string, string> {
  const settings = [...command.matchAll(/\b(SEGUE_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  return Object.fromEntries(settings.filter(([name]) => name !== 'SEGUE_DATA_DIR'));
}

const simulator = await startGateway({ script: 'simulator', env: settingsIn(simulate) });
afterAll(() => simulator.stop());
const front = await startGateway({ args: ['--upstream', simulator.url], env: settingsIn(start) });
afterAll(() => front.stop());

it('docs/upstream-start.md shows a session with its real output', async () => {
  const [simulatorReady, ready, fault, compared] = blocks(PAGE, 'text');
  expect(simulator.stdout().replaceAll(simulator.url, 'http://127.0.0.1:8790')).toContain(simulatorReady);
  expect(
    front
      .stdout()
      .replaceAll(front.url, 'http://127.0.0.1:8787')
      .endsWith(ready ?? '-'),
  ).toBe(true);

  const variables = { SEGUE_URL: front.url, SIMULATOR_URL: simulator.url };
  const created = await sh(create, variables);
  expect(timeless(created)).toEqual(timeless(blocks(PAGE, 'json')[0] ?? ''));
  const customId = 'segue.sandbox.n.fault-reset-after-commit';
  expect(JSON.parse(await sh(find, variables))).toMatchObject({ id: JSON.parse(created).id, customId });
  expect(simulator.stderr()).toContain(fault);

  expect(audit).toContain('--upstream http://127.0.0.1:8790');
  const here = audit.replace('http://127.0.0.1:8790', simulator.url).replace('.segue/front', front.dataDir);
  expect(await sh(here, variables)).toBe(compared);
});

describe('docs/upstream-failures.md', () => {
  const PAGE_OF_A_PROXY = { headers: { 'content-type': 'text/html' }, body: Buffer.from('<html></html>') };
  const EMPTY = { headers: {}, body: Buffer.alloc(0) };
  const BROKEN = { headers: {}, body: 'lost' } as const;
  /** The rows that begin with an answer of the service, one for each status in them. */
  const rows = [
    ...FAILURES.matchAll(/^\| ((?:a |any other )?\d{3}\b[^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm),
  ].flatMap(([, what = '', create = '', remove = '', read = '']) =>
    [...what.matchAll(/\b\d{3}\b/g)].map(([status]) => ({ what, status: Number(status), create, remove, read })),
  );

  /** Returns the problems in a cell: the answers before Segue looks the project up. */
  function problemsIn(cell: string): readonly string[] {
    if (cell.startsWith('looked up')) return ['outcome-unknown', 'custom-id-in-use'];
    if (cell === 'read back') return ['outcome-unknown'];
    if (cell.startsWith('what the second read shows')) return ['project-not-found'];
    return /`([a-z-]+)`/.exec(cell)?.slice(1) ?? [];
  }

  it('are in the table for every status with a meaning of its own', () => {
    const statuses = new Set(rows.map(({ status }) => status));
    for (const status of [301, 302, 303, 307, 308, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504])
      expect(statuses).toContain(status);
  });

  it.each(rows)('are those of the code: $status, $what', ({ what, status, create, remove, read }) => {
    const isBelieved = !what.startsWith('any other');
    const answer = { status, ...(what.includes('truncated') ? BROKEN : isBelieved ? EMPTY : PAGE_OF_A_PROXY) };
    const became = (operation: typeof CREATE) => problemFrom(failedResponse(answer, { operation }, 0)).name;
    const cells = [create, remove, read].map((cell) => (cell === 'the same' ? create : cell));
    [CREATE, DELETE, READ].forEach((operation, column) => {
      expect(problemsIn(cells[column] ?? '')).toContain(became(operation));
    });
  });
});
