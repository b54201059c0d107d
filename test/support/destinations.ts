import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Listening, listen } from './listen.ts';
import { type Ended, segueIn } from './segue.ts';

/** A request that a receiver got. */
export interface ReceivedResult {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of results on this machine. Disposing of it ends it. */
export interface ResultReceiver extends Listening {
  readonly received: readonly ReceivedResult[];
}

/** Starts a receiver of results, over http. */
export async function resultReceiver(
  answer: (response: ServerResponse, received: ReceivedResult) => void,
): Promise<ResultReceiver> {
  const received: ReceivedResult[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const text of request.setEncoding('utf8')) body += text;
    const entry = { path: request.url ?? '', headers: request.headers, body };
    received.push(entry);
    answer(response, entry);
  });
  return { ...(await listen(server)), received };
}

/** The options with which a destination is added. */
export interface DestinationOptions {
  readonly name: string;
  readonly companyId: string;
  readonly mapping: string;
  readonly host: string;
  /** The secret, in the header `X-Token`. By default, there is none. */
  readonly secret?: string;
  /** The type of its events; `language.completed` by default. */
  readonly on?: string;
}

/** Adds a destination to the Segue of a data folder. */
export function addDestination(
  folder: string,
  { name, companyId, mapping, host, secret, on = 'language.completed' }: DestinationOptions,
): Promise<Ended> {
  const file = join(folder, 'destination.jsonata');
  writeFileSync(file, mapping);
  const about = ['--company', companyId, '--on', on, '--mapping', file, '--host', host];
  const from = secret === undefined ? [] : ['--secret-from-stdin', '--secret-header', 'X-Token'];
  const readStdin = async () => `${secret}\n`;
  return segueIn(folder, { readStdin }, 'destination', 'add', name, ...about, ...from);
}
