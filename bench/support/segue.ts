import { type StartedGateway, startGateway } from '../../test/support/gateway.ts';
import { Connection, type RequestParts, requestBytes } from './connection.ts';

/** A gateway as `npm start` runs it, in a process and with a data folder of its own. */
export interface Segue extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  connect(): Promise<Connection>;
  /** The bytes of a request with credentials; its body is JSON. */
  request(parts: RequestParts): Buffer;
}

export type StartSegue = () => Promise<Segue>;

/** @param profileTo a folder where each gateway leaves a CPU profile when it stops */
export function hosted(profileTo?: string): StartSegue {
  return async () => {
    const gateway = await startGateway({ env: profiling(profileTo) });
    return segueOf(gateway, () => stop(gateway));
  };
}

/** Segue in front of Segue. */
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

/** Segue in front of the simulator without faults, and the simulator. */
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

function segueOf({ url, dataDir, authorization }: StartedGateway, dispose: () => Promise<void>): Segue {
  return {
    url,
    dataDir,
    connect: () => Connection.open(url),
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
