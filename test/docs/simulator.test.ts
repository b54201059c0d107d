import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from '../../local/simulator/faults.ts';
import { readSimulatorSettings } from '../../local/simulator/settings.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/simulator.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);

let simulator: StartedGateway;
beforeAll(async () => {
  simulator = await startGateway({ script: 'simulator', env: { SEGUE_API_KEY: 'key-of-the-service' } });
});
afterAll(() => simulator.stop());

async function sh(script: string): Promise<string> {
  const path = `${process.env['PATH']}:${join(ROOT, 'test/support/bin')}`;
  const env = { ...process.env, PATH: path, SIMULATOR_URL: simulator.url };
  return (await promisify(execFile)('sh', ['-c', script], { env })).stdout;
}

describe('docs/simulator.md', () => {
  it('shows a session that goes as it says', async () => {
    const [, create = '', read = ''] = BLOCKS;
    expect(await sh(create)).toBe('no answer\n');
    expect(JSON.parse(await sh(read))).toMatchObject({ name: 'Was it made?' });
  });

  it('has every fault, and says of it what the code says', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z][a-z-]+)` \| ([A-Za-z, ]+) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    const faults = Object.entries(FAULTS).map(([name, { methods, says }]) => [
      name,
      methods.length === 3 ? 'any' : methods.join(', '),
      says,
    ]);
    expect(rows).toEqual(faults);
  });

  it('has every flag with its default', () => {
    const rows = [...PAGE.matchAll(/^\| `(--[a-z-]+)(?: <name>=<rate>)?` \| (.*?) \|/gm)].map(([, ...cells]) => cells);
    const { service, rates, settleLagMs, areCustomIdsFree } = readSimulatorSettings([], {});
    expect(rows).toEqual([
      ['--port', `\`PORT\`, else \`${service.port}\``],
      ['--seed', 'a new one at each start'],
      ['--rate', `\`${rates.delay}\``],
      ['--fault', 'none'],
      ['--settle-lag', `\`${settleLagMs}\``],
      ['--custom-ids', areCustomIdsFree ? '`free`' : '`unique`'],
    ]);
    expect(PAGE).toContain(`\`${service.functionEnvironment['SEGUE_DATA_DIR']}\``);
  });

  it('starts with the flags that it shows', () => {
    const [, , , , start = ''] = BLOCKS;
    const { seed, rates } = readSimulatorSettings(start.trim().split(' ').slice(4), {});
    expect([seed, rates.truncated, rates.delay, rates.refused, rates.widening]).toEqual([7, 0.2, 0, 0.02, undefined]);
  });
});
