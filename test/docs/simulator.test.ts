import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from '../../packages/simulator/faults.ts';
import { readSimulatorSettings } from '../../packages/simulator/flags.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { blocks, read, sh } from './world.ts';

const PAGE = read('docs/simulator.md');
const BLOCKS = blocks(PAGE, 'sh');

let simulator: StartedGateway;
beforeAll(async () => {
  simulator = await startGateway({ script: 'simulator', env: { SEGUE_API_KEY: 'key-of-the-service' } });
});
afterAll(() => simulator.stop());

describe('docs/simulator.md', () => {
  it('shows what the simulator prints', () => {
    const printed = simulator.stdout().replaceAll(simulator.url, 'http://127.0.0.1:8790');
    expect(printed.replace(/^Seed: \d+$/m, 'Seed: 1234567890')).toBe(blocks(PAGE, 'text')[0]);
  });

  it('shows a session with its real output', async () => {
    const [, create = '', find = ''] = BLOCKS;
    const variables = { SIMULATOR_URL: simulator.url };
    expect(await sh(create, variables)).toBe('no answer\n');
    expect(JSON.parse(await sh(find, variables))).toMatchObject({ name: 'Was it made?' });
  });

  it('lists every fault with its description in the code', () => {
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
    const [, , , start = ''] = BLOCKS;
    const { seed, rates } = readSimulatorSettings(start.trim().split(' ').slice(4), {});
    expect([seed, rates.truncated, rates.delay, rates.refused, rates.widening]).toEqual([7, 0.2, 0, 0.02, undefined]);
  });
});
