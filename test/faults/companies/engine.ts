import { createServer } from 'node:http';
import * as z from 'zod/mini';
import { characterCount } from '../../../lib/service/translation-engine.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { CODES } from './attack.ts';
import { ENGINE_ANSWERS } from './queues.ts';

const Batch = z.object({ q: z.array(z.string()), target: z.string() });

/** An engine that charges for each text, and never translates one. */
export interface FailingEngine extends Listening {
  readonly calls: () => number;
  readonly characters: () => number;
}

/** Opens an engine with the interface of LibreTranslate. */
export async function openFailingEngine(): Promise<FailingEngine> {
  let [calls, characters] = [0, 0];
  const languages = JSON.stringify([{ code: 'en', targets: CODES }]);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'GET') return void response.end(languages);
    const { q, target } = Batch.parse(JSON.parse(Buffer.concat(chunks).toString()));
    calls++;
    characters += characterCount(q);
    const answer = ENGINE_ANSWERS[target];
    if (typeof answer === 'number') response.writeHead(answer).end('{}');
  });
  return { ...(await listen(server)), calls: () => calls, characters: () => characters };
}
