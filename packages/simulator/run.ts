import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { gatewayOn, type LocalPlatform, registerSandbox, withPlatform } from '../../local/run.ts';
import { FaultInjector } from './fault-injector.ts';
import type { FaultName } from './faults.ts';
import { readSimulatorSettings, type SimulatorSettings } from './flags.ts';
import { withFreeCustomIds } from './free-custom-ids.ts';
import { withPublicPaths } from './public-paths.ts';
import { randomFrom } from './random.ts';
import type { SimulatorRequest } from './server.ts';
import { serviceAt, simulatorServer } from './server.ts';

/**
 * Runs the hosted service behind the fault injector, until a signal stops it.
 * @param args the command line after the program
 * @throws errors that `formatError` formats
 */
export async function run(args: readonly string[], stop: AbortSignal): Promise<void> {
  const settings = readSimulatorSettings(args, process.env);
  await withPlatform(settings.service, (platform) => serve(settings, platform, stop));
}

async function serve(settings: SimulatorSettings, platform: LocalPlatform, stop: AbortSignal): Promise<void> {
  const { service, seed, rates, settleLagMs, areCustomIdsFree } = settings;
  const gateway = await gatewayOn(platform, service);
  await setImmediate(); // A signal that was sent during the start arrives now.
  if (stop.aborted) return;
  const hosted = withPublicPaths(serviceAt(await gateway.listen(0)));
  const injector = new FaultInjector({
    service: areCustomIdsFree ? withFreeCustomIds(hosted) : hosted,
    random: randomFrom(seed),
    rates,
    settleLagMs,
    now: Date.now,
    sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
    onFaults: logFaults,
  });
  const server = simulatorServer((request) => injector.exchange(request));
  const url = `http://127.0.0.1:${await server.listen(service.port)}`;
  await printWelcome(url, platform, settings);
  if (!stop.aborted) await once(stop, 'abort');
  await server.close();
  await gateway.close();
}

/** Prints the seed, the account and the address. The last printed line says that the simulator is ready. */
async function printWelcome(url: string, platform: LocalPlatform, { seed, service }: SimulatorSettings): Promise<void> {
  const { companyId, apiKey, suspended } = await registerSandbox(platform, service);
  process.stdout.write(`Seed: ${seed}
Account: ${companyId} with ${service.hasOwnKey ? 'your SEGUE_API_KEY' : `the API key ${apiKey}`}

In another terminal, paste this line:

export SIMULATOR_URL=${url}

${suspended}The simulator is ready at ${url}
`);
}

/** Logs the faults of an exchange. Of the request, only the method is logged, because a path may hold a custom id. */
function logFaults(faults: readonly FaultName[], { method }: SimulatorRequest): void {
  process.stderr.write(`${JSON.stringify({ level: 'info', method, faults })}\n`);
}
