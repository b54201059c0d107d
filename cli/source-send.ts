import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import { BASE_URL_RULE, readBaseUrl } from '../lib/contract/base-url.ts';
import type { DeliveryState } from '../lib/webhooks/delivery-records.ts';
import { schemeOf } from '../lib/webhooks/signature-schemes/schemes.ts';
import { commandLine, stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';
import { readSampleMessage, type SampleMessage } from './sample.ts';
import { resultOf } from './source-delivery.ts';

/** A sample was not received. The message is for the person who sent it, and holds no secret. */
export class SendFailed extends Error {
  override readonly name = 'SendFailed';
}

interface Options {
  readonly sample: string;
  readonly url?: string;
}

/** How long an answer may take. */
const TIMEOUT_MS = 30_000;

/** `segue source send`, under `segue source`. */
export function addSourceSendCommand(source: Command, segue: Command, surroundings: Surroundings): void {
  const { out } = surroundings;
  source
    .command('send')
    .description('send a sample as its sender would, signed with the newest secret of the source, and show its result')
    .argument('<name>')
    .requiredOption('--sample <file>', 'the message in JSON')
    .option(
      '--url <base url>',
      'the gateway to send it to: http://127.0.0.1:8787, SEGUE_URL or the API of the stack unless given',
    )
    .action((name: string, { sample, url }: Options) => {
      const named = stackIn(segue);
      return withPlace(surroundings, named, async ({ sources, letters, webhookUrl }) => {
        const target = readTarget(url === undefined ? webhookUrl(name) : `${url.replace(/\/+$/, '')}/webhooks/${name}`);
        const message = await readSampleMessage(sample);
        const known = await sources.get(name);
        const unsigned = { id: `msg_${randomUUID()}`, atMs: Date.now(), body: message.body };
        const signed = schemeOf(known.scheme).sign(await sources.secret(known), unsigned);
        if (!signed) throw new SendFailed('the source has a public key: only its sender can sign messages');
        const { deliveryId, repeated } = await post(target, { ...message, headers: { ...message.headers, ...signed } });
        out(`202 from ${target}: ${repeated ? REPEATED : 'received'}\nDelivery: ${deliveryId}\n`);
        const state = await stateAfterWork(() => letters.delivery({ source: name, id: deliveryId }));
        if (!state)
          out(
            `It is not done yet. To see its result: ${commandLine(named, ['source', 'delivery', name, deliveryId])}\n`,
          );
        else out(`Result: ${JSON.stringify(resultOf(state), undefined, 2)}\n`);
        if (state?.kind === 'dead') throw new SendFailed('the message became a dead letter');
      });
    });
}

/** How long somebody waits for the result, and how often it is looked for. */
const WORK_MS = 20_000;
const LOOK_MS = 250;

/** The state of a delivery that has ended; `undefined` if it takes longer, or is tried again later. */
async function stateAfterWork(look: () => Promise<DeliveryState | undefined>): Promise<DeliveryState | undefined> {
  for (let waitedMs = 0; waitedMs < WORK_MS; waitedMs += LOOK_MS) {
    const state = await look();
    if (state && (state.kind !== 'open' || state.failure)) return state;
    await setTimeout(LOOK_MS);
  }
  return undefined;
}

const REPEATED = 'this message was received before, and is not carried out again; change the sample to send another';

/** @throws {SendFailed} */
function readTarget(text: string): URL {
  const url = readBaseUrl(text, { protocols: ['http', 'https'] });
  if (url) return url;
  throw new SendFailed(`the gateway has ${BASE_URL_RULE}`);
}

const Accepted = z.object({
  deliveryId: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  repeated: z.optional(z.boolean()),
});
const Refusal = z.object({ type: z.string().check(z.regex(/\/[a-z-]{1,40}$/)) });

/** @throws {SendFailed} if the answer is not that of a gateway that received the message */
async function post(url: URL, { headers, body }: SampleMessage): Promise<z.infer<typeof Accepted>> {
  const request = requestOf(headers, body);
  const answer = await fetch(url, request).catch((error: unknown) => {
    throw new SendFailed(unreachable(url, error));
  });
  const json = jsonIn(await answer.text().catch(() => ''));
  const accepted = Accepted.safeParse(json);
  if (answer.status === 202 && accepted.success) return accepted.data;
  const refusal = Refusal.safeParse(json);
  const problem = refusal.success ? refusal.data.type.slice(refusal.data.type.lastIndexOf('/') + 1) : '';
  const hint = HINTS[problem] ?? '';
  throw new SendFailed(`${url.origin} answered ${[answer.status, problem].filter(Boolean).join(' ')}${hint}`);
}

/** The usual reason for each status, for a person who sends a sample. */
const HINTS: Readonly<Record<string, string>> = {
  'source-not-found': ': the gateway there has no source of this name; does it use the same data folder?',
  'invalid-signature': ': the source there has another secret; does the gateway use the same data folder?',
};

function requestOf(headers: Readonly<Record<string, string>>, body: Uint8Array): RequestInit {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return { method: 'POST', headers: new Headers(headers), body: Buffer.from(body), redirect: 'manual', signal };
  } catch {
    throw new SendFailed('the sample has a header that cannot be sent');
  }
}

function unreachable({ origin }: URL, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  if (code === 'ECONNREFUSED')
    return `nothing listens at ${origin}: start Segue with npm start, or name another gateway with --url`;
  return `${origin} cannot be reached: ${code}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
