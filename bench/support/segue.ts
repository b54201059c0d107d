import { cpuMsOf } from '../../test/support/cpu-time.ts';
import { type StartedGateway, startGateway } from '../../test/support/gateway.ts';
import { Connection, type RequestParts, requestBytes } from './connection.ts';

/** A gateway like that of `npm start`, with its own process and data folder. */
export interface Segue extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  connect(): Promise<Connection>;
  /** Returns the processor time that the process has used, in milliseconds. It needs Linux. */
  cpuMs(): number;
  /** Returns the bytes of a request with credentials. The body, if any, must be JSON. */
  request(parts: RequestParts): Buffer;
}

export type StartSegue = () => Promise<Segue>;

/**
 * Returns a function that starts Segue with its own service.
 * @param profileTo a folder for the CPU profile that each gateway writes when it stops
 */
export function hosted(profileTo?: string): StartSegue {
  return async () => {
    const gateway = await startGateway({ env: { ...WITHOUT_ENGINE, ...profiling(profileTo) } });
    return segueOf(gateway, () => stop(gateway));
  };
}

/** Without an engine, the process only does what the requests ask for. */
const WITHOUT_ENGINE = { SEGUE_TRANSLATION_ENGINE: 'none' };

/** Starts Segue with its own service, which translates with the pseudo engine. */
export async function translating(): Promise<Segue> {
  const gateway = await startGateway({ env: { SEGUE_TRANSLATION_ENGINE: 'pseudo' } });
  return segueOf(gateway, () => stop(gateway));
}

/**
 * Returns a function that starts Segue in front of another Segue.
 * @param profileTo a folder for the CPU profile of the gateway in front
 */
export function upstream(profileTo?: string): StartSegue {
  return async () => {
    const upstream = await startGateway();
    const front = await startGateway({ upstream, env: profiling(profileTo) });
    return segueOf(front, async () => {
      await stop(front);
      await stop(upstream);
    });
  };
}

/** Starts the simulator without faults, and Segue in front of it. */
export async function openPair(): Promise<AsyncDisposable & { readonly front: Segue; readonly upstream: Segue }> {
  const simulator = await startGateway({ script: 'simulator', args: ['--seed', '1'] });
  const front = await startGateway({ upstream: simulator });
  return {
    front: segueOf(front, async () => {}),
    upstream: segueOf(simulator, async () => {}),
    async [Symbol.asyncDispose]() {
      await stop(front);
      await stop(simulator);
    },
  };
}

function profiling(folder: string | undefined): Record<string, string> {
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(folder)}` };
}

function segueOf({ url, dataDir, authorization, process }: StartedGateway, dispose: () => Promise<void>): Segue {
  return {
    url,
    dataDir,
    connect: () => Connection.open(url),
    cpuMs: () => cpuMsOf(process),
    request: ({ headers, ...parts }) =>
      requestBytes({
        ...parts,
        headers: {
          Authorization: authorization,
          ...(parts.body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
      }),
    [Symbol.asyncDispose]: dispose,
  };
}

async function stop(gateway: StartedGateway): Promise<void> {
  const exitCode = await gateway.stop();
  if (exitCode !== 0) throw new Error(`The gateway ended with ${exitCode}: ${gateway.stderr().slice(-2_000)}`);
}
