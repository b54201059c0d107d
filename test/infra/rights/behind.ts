import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { hostedService } from '../../../lib/hosted/service.ts';
import type { HttpAccount } from '../../../lib/service/http-client/authorize.ts';
import { NoAnswer } from '../../../lib/service/http-client/transport.ts';
import { serviceDoor } from '../../faults/simulation/service-door.ts';
import type { Fate } from '../../lib/upstream/hosted-upstream.ts';
import { type Kind, kindOf, portOf } from '../../lib/upstream/server.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

/** A service to stand in front of, on a free port of this machine. */
export interface Behind extends AsyncDisposable {
  readonly url: string;
  /** What becomes of requests of a kind from now on; they are answered unless said. */
  fates: Partial<Record<Kind, Fate>>;
}

/** Serves one account. */
export async function serveBehind({ companyId, apiKey }: HttpAccount): Promise<Behind> {
  const service = hostedService({ storage: new MemoryStorage(), now: Date.now, random: Math.random });
  const door = serviceDoor({ service, now: Date.now, accounts: { [companyId]: apiKey } });

  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = await buffer(request);
    const reach = () => door({ method, path, headers, body });
    const fate = behind.fates[kindOf(method, path)] ?? reach;
    const reply = await fate(reach).catch(unanswered);
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
    else request.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const behind: Behind = {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    fates: {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return behind;
}

function unanswered(error: unknown): undefined {
  if (!(error instanceof NoAnswer)) throw error;
}
