import { schemeOf } from '../../../lib/signatures/schemes.ts';
import { verifyMessage } from '../../../lib/signatures/verify-message.ts';
import { type Random, randomFrom } from '../../../packages/simulator/random.ts';
import { SENDERS, type Sender } from '../../support/senders.ts';
import { NOW_MS } from '../support.ts';
import { PATH, received } from './messages.ts';

interface Message {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Buffer;
  readonly path: string;
}

/** Texts that mean something in some scheme. */
const TOKENS = [
  ',',
  ', ',
  ';',
  ':',
  '=',
  '.',
  '\n',
  '"',
  '}',
  '0',
  't=1',
  'v1=00',
  ';x-contentful-topic:',
  'sha256=',
  'Z',
];

const splice = (bytes: Buffer, random: Random): Buffer => {
  const at = random.below(bytes.length + 1);
  const token = Buffer.from(random.pick(TOKENS));
  const kind = random.below(4);
  if (kind === 0) return Buffer.concat([bytes.subarray(0, at), token, bytes.subarray(at)]);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
  const flipped = Buffer.from(bytes);
  if (kind === 2) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
  else flipped.reverse();
  return flipped;
};
const spliceText = (text: string, random: Random) => splice(Buffer.from(text, 'latin1'), random).toString('latin1');

type Mutation = (message: Message, random: Random) => Message;

const MUTATIONS: readonly Mutation[] = [
  (message, random) => ({ ...message, body: splice(message.body, random) }),
  (message, random) => ({ ...message, path: `/${spliceText(message.path.slice(1), random)}` }),
  (message, random) => changeHeader(message, random, (values) => [spliceText(values[0] ?? '', random)]),
  (message, random) => changeHeader(message, random, (values) => [...values, ...values]),
  (message, random) => changeHeader(message, random, () => []),
  (message, random) =>
    changeHeader(message, random, ([value = '']) => [
      value
        .split(random.pick([', ', ',']))
        .toReversed()
        .join(','),
    ]),
  // Characters that move from one field to another must not give the same signed text.
  (message, random) => {
    const count = 1 + random.below(6);
    const toBody = random.chance(0.5);
    const moved = (value: string) =>
      toBody ? value.slice(-count) : message.body.subarray(0, count).toString('latin1');
    let taken = '';
    const changed = changeHeader(message, random, ([value = '']) => {
      taken = moved(value);
      return [toBody ? value.slice(0, -count) : value + taken];
    });
    const body = toBody ? Buffer.concat([Buffer.from(taken, 'latin1'), message.body]) : message.body.subarray(count);
    return { ...changed, body };
  },
  (message, random) => {
    const count = 1 + random.below(6);
    const taken = message.body.subarray(-count).toString('latin1');
    const changed = changeHeader(message, random, ([value = '']) => [value.replace(/(?<=(?:^|t=))(?=\d+$)/, taken)]);
    return { ...changed, body: message.body.subarray(0, -count) };
  },
  // A header takes in the next one, as it stands in the text that lists of headers give.
  ({ headers, ...message }, random) => {
    const [name, other] = [random.pick(Object.keys(headers)), random.pick(Object.keys(headers))];
    const joined = `${headers[name]?.[0] ?? ''};${other}:${headers[other]?.[0] ?? ''}`;
    return { ...message, headers: { ...headers, [name]: [joined], ...(random.chance(0.5) && { [other]: [] }) } };
  },
];

function changeHeader(message: Message, random: Random, change: (values: readonly string[]) => string[]): Message {
  const name = random.pick(Object.keys(message.headers));
  return { ...message, headers: { ...message.headers, [name]: change(message.headers[name] ?? []) } };
}

/** Returns what a sender signs of a message. */
function meaningOf({ settings }: Sender, { headers, body, path }: Message): string {
  return JSON.stringify([Object.entries(headers), body.toString('latin1'), settings.name === 'contentful' ? path : '']);
}

/**
 * Whether a changed header means the same: parts in another order; or, as Stripe and Standard Webhooks allow during a
 * rotation, more signatures, and parts with unknown keys.
 */
function isTolerated({ settings: { name } }: Sender, from: Message, to: Message): boolean {
  const separator = name === 'standard-webhooks' ? ' ' : /, ?/;
  const isFlexible = name === 'standard-webhooks' || name === 'stripe';
  const pairs = Object.entries(from.headers).map(
    ([header, [value = '']]) => [value, to.headers[header] ?? []] as const,
  );
  return pairs.every(([value, [given = '', ...more]]) => {
    const [parts, others] = [value.split(separator), given.split(separator)];
    const isSized = isFlexible || parts.length === others.length;
    return more.length === 0 && isSized && parts.every((part) => others.includes(part));
  });
}

/** Makes a body that begins and ends as fields of signed texts do. */
function bodyOf(random: Random): Buffer {
  const parts = Array.from({ length: 1 + random.below(5) }, () => random.pick([...TOKENS, '{"a":1}', 'é', '1795']));
  return Buffer.from(parts.join(''));
}

/**
 * Changes signed messages of every sender at random. A receiver must accept each message as it was signed, and no
 * message that says something else.
 * @throws an error with the first message that a receiver judges wrongly
 */
export function checkSignatures(count: number, seed: number): { accepted: number; refused: number } {
  const random = randomFrom(seed);
  const figures = { accepted: 0, refused: 0 };
  for (let index = 0; index < count; index++) {
    const sender = random.pick(SENDERS);
    const body = bodyOf(random);
    const atMs = NOW_MS + random.below(500_000) - 250_000;
    const headers = sender.sign({ id: `msg_${index}`, atMs, body });
    const values = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
    const signed: Message = { headers: Object.fromEntries(values), body, path: PATH };
    let changed = signed;
    for (let left = random.below(3); left > 0; left--) changed = random.pick(MUTATIONS)(changed, random);
    const isSame =
      meaningOf(sender, changed) === meaningOf(sender, { ...signed, headers: changed.headers }) &&
      isTolerated(sender, signed, changed);
    const message = received(changed.headers, changed.body, { path: changed.path });
    const isAccepted = typeof verifyMessage(schemeOf(sender.settings), [sender.secret], message, NOW_MS) !== 'string';
    if (isAccepted && !isSame) throw new Error(`${sender.name} accepts ${JSON.stringify(changed)}`);
    if (!isAccepted && changed === signed) throw new Error(`${sender.name} refuses ${JSON.stringify(changed)}`);
    figures[isAccepted ? 'accepted' : 'refused']++;
  }
  return figures;
}
