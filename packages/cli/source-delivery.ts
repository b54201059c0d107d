import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import type { DeliveryReport } from '../../lib/contract/administration.ts';
import { BASE_URL_RULE, readBaseUrl } from '../../lib/contract/base-url.ts';
import { WEBHOOKS_PATH } from '../../lib/contract/paths.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import { schemeOf } from '../../lib/signatures/schemes.ts';
import type { DeliveryState } from '../../lib/webhooks/delivery-records.ts';
import { reportDelivery } from '../../lib/webhooks/reports.ts';
import { type CliContext, commandLine } from './deployment.ts';
import { CliError, tryParseJson, UsageError } from './io.ts';
import { readSampleMessage, type SampleMessage } from './sample.ts';

/** Adds the command `segue source delivery`. */
export function addSourceDeliveryCommand(source: Command, { printJson, withDeployment }: CliContext): void {
  source
    .command('delivery')
    .description('show a delivery as JSON: open, done with the ids of its projects, dead or dropped')
    .argument('<name>')
    .argument('<delivery id>', 'the id in the response to the sender')
    .action(async (name: string, id: string) => {
      const state = await withDeployment(({ letters }) => letters.delivery({ source: name, id }));
      if (!state) throw new CliError(NO_DELIVERY);
      const report = reportDelivery({ source: name, id }, state);
      printJson(report);
    });
}

const NO_DELIVERY = `the source has no delivery with this id, or it ended more than 14 days ago. Ids are in the answers to the sender and in the output of segue source send; for those of dead letters, run: ${SEGUE} dead-letters list`;

interface SendOptions {
  readonly sample: string;
  readonly url?: string;
}

/** Adds the command `segue source send`. */
export function addSourceSendCommand(
  source: Command,
  { print, progress, stackName, withDeployment }: CliContext,
): void {
  source
    .command('send')
    .description('send a sample, signed with the newest secret of the source, and show its result')
    .argument('<name>')
    .requiredOption('--sample <file>', 'the message in JSON')
    .option(
      '--url <base url>',
      'the gateway that receives the sample; default: the API of the stack, or on this machine SEGUE_URL or http://127.0.0.1:8787',
    )
    .action((name: string, { sample, url }: SendOptions) =>
      withDeployment(async ({ sources, letters, webhookUrl }) => {
        const target = parseTarget(
          url === undefined ? webhookUrl(name).url : `${url.replace(/\/+$/, '')}${WEBHOOKS_PATH}/${name}`,
        );
        const message = await readSampleMessage(sample);
        const known = await sources.get(name);
        const unsigned = { ...message, id: `msg_${randomUUID()}`, atMs: Date.now(), path: target.pathname };
        const scheme = schemeOf(known.scheme);
        const secret = await sources.secret(known);
        const signed = scheme.sign(secret, unsigned);
        // The output shows the target, so the secret is only in a copy.
        const withSecret = new URL(target);
        if (scheme.queryParameter !== undefined) withSecret.searchParams.set(scheme.queryParameter, secret);
        if (!signed) throw new CliError('the source has a public key: only its sender can sign messages');
        const { deliveryId, repeated } = await post(withSecret, {
          ...message,
          headers: { ...message.headers, ...signed },
        });
        const state = await progress.during('Waiting for the result', () =>
          waitForResult(() => letters.delivery({ source: name, id: deliveryId })),
        );
        const again = commandLine(stackName(), ['source', 'delivery', name, deliveryId]);
        const report = state && reportDelivery({ source: name, id: deliveryId }, state);
        const text = report
          ? `Result: ${JSON.stringify(resultOf(report), undefined, 2)}\n`
          : `The delivery is not done yet. To see its result, run: ${again}\n`;
        const sent = `202 from ${target}: ${repeated ? REPEATED : 'received'}\nDelivery: ${deliveryId}\n`;
        print(report ?? { source: name, id: deliveryId, state: 'open' }, sent + text);
        if (state?.kind === 'dead') throw new CliError('the message became a dead letter');
      }),
    );
}

const REPEATED = 'this message was received before and does not run again; change the sample to send another';

/** Leaves out the fields that the lines above the result show. */
function resultOf({ source: _, id: __, ...result }: DeliveryReport): Omit<DeliveryReport, 'source' | 'id'> {
  return result;
}

/** How long the command waits for a delivery's result, in milliseconds. */
const WAIT_MS = 20_000;
/** The time between two reads of the delivery, in milliseconds. */
const POLL_MS = 250;

/** Waits until a delivery ends, or an attempt at it fails. @returns `undefined` if neither happens within `WAIT_MS` */
async function waitForResult(read: () => Promise<DeliveryState | undefined>): Promise<DeliveryState | undefined> {
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += POLL_MS) {
    const state = await read();
    if (state && (state.kind !== 'open' || state.failure)) return state;
    await setTimeout(POLL_MS);
  }
  return undefined;
}

/** Reads the URL of the gateway. @throws {CliError} if the URL is invalid */
function parseTarget(text: string): URL {
  const url = readBaseUrl(text, { protocols: ['http', 'https'] });
  if (url) return url;
  throw new UsageError(`the URL of the gateway must be ${BASE_URL_RULE}`);
}

const RESPONSE_TIMEOUT_MS = 30_000;

const Accepted = z.object({
  deliveryId: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  repeated: z.optional(z.boolean()),
});
const Refused = z.object({ type: z.string().check(z.regex(/\/[a-z-]{1,40}$/)) });

/** The most likely cause of a problem that `segue source send` gets, by problem type. */
const HINTS: Readonly<Record<string, string>> = {
  'source-not-found':
    ': the gateway has no source with this name. Check that it uses the same data folder as this command',
  'invalid-signature':
    ': the gateway has another secret for the source. Check that it uses the same data folder as this command',
};

/** Sends a message to the gateway. @throws {CliError} if the gateway cannot be reached or refuses the message */
async function post(url: URL, { headers, body }: SampleMessage): Promise<z.infer<typeof Accepted>> {
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  const request = { method: 'POST', headers, body: Buffer.from(body), redirect: 'manual', signal } as const;
  const response = await fetch(url, request).catch((error: unknown) => {
    throw new CliError(unreachable(url, error));
  });
  const json = tryParseJson(await response.text().catch(() => ''));
  const accepted = Accepted.safeParse(json);
  if (response.status === 202 && accepted.success) return accepted.data;
  const refused = Refused.safeParse(json);
  const problem = refused.success ? refused.data.type.slice(refused.data.type.lastIndexOf('/') + 1) : '';
  const answer = [response.status, problem].filter(Boolean).join(' ');
  throw new CliError(`${url.origin} answered ${answer}${HINTS[problem] ?? ''}`);
}

function unreachable({ origin }: URL, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  if (code === 'ECONNREFUSED')
    return `nothing listens at ${origin}: start Segue with npm start, or name another gateway with --url`;
  return `${origin} cannot be reached: ${code}`;
}
