import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { loadFunctions, resolveCompositionTo } from '../functions.ts';
import { createGateway } from '../gateway.ts';
import { announce, type Platform, reportFailure, requireStoreOf } from '../run.ts';
import { handOn } from '../settings.ts';
import { withFreeCustomIds } from './custom-ids.ts';
import type { Asked } from './exchange.ts';
import type { FaultName } from './faults.ts';
import { serviceAt } from './forward.ts';
import { Injector } from './injector.ts';
import { randomFrom } from './random.ts';
import { simulatorServer } from './server.ts';
import { readSimulatorSettings, type SimulatorSettings } from './settings.ts';

/**
 * Runs the hosted service behind faults, until it is told to stop.
 * @param args what follows the program on the command line
 * @throws what `sentence` can tell
 */
export async function run(args: readonly string[], stop: AbortSignal): Promise<void> {
  const settings = readSimulatorSettings(args, process.env);
  handOn(settings.service, process.env);
  resolveCompositionTo('hosted', 'local');
  const platform = await import('#platform');
  await platform.openPlatform();
  try {
    await requireStoreOf(platform.storage(), 'hosted');
    await serve(settings, platform, stop);
  } finally {
    await platform.closePlatform();
  }
}

async function serve(settings: SimulatorSettings, platform: Platform, stop: AbortSignal): Promise<void> {
  const { service, seed, rates, settleLagMs, areCustomIdsFree } = settings;
  const gateway = createGateway({
    ...(await loadFunctions()),
    rate: platform.companyRate(),
    wrongCredentials: service.wrongCredentials,
    now: Date.now,
    onFailure: reportFailure,
  });
  await setImmediate(); // As for `npm start`: a signal that came meanwhile is heard now.
  if (stop.aborted) return;
  const behind = serviceAt(await gateway.listen(0));
  const injector = new Injector({
    service: areCustomIdsFree ? withFreeCustomIds(behind) : behind,
    random: randomFrom(seed),
    rates,
    settleLagMs,
    now: Date.now,
    sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
    onFaults: logFaults,
  });
  const server = simulatorServer((asked) => injector.exchange(asked));
  const url = `http://127.0.0.1:${await server.listen(service.port)}`;
  process.stdout.write(`Seed: ${seed}\n\n`);
  await announce(url, service, platform);
  if (!stop.aborted) await once(stop, 'abort');
  await server.close();
  await gateway.close();
}

/** Nothing of the request but its method: a path may hold a custom id. */
function logFaults(faults: readonly FaultName[], { method }: Asked): void {
  process.stderr.write(`${JSON.stringify({ level: 'info', method, faults })}\n`);
}
