import { isUtf8 } from 'node:buffer';
import { signatureRefusal } from '../contract/failures.ts';
import { type HmacForm, hasForm, hmacOf, hmacVerifier, isSecret, newTextSecret, SECRET_FORM } from './hmac.ts';
import {
  type MessageIdentity,
  type ReceivedMessage,
  type SignatureClaim,
  type SignatureScheme,
  singleValues,
  type UnsignedRequest,
} from './scheme.ts';
import { type Field, joinListed, layoutOf, type Piece, type Place, partsOf, piecesOf, placeOf } from './signed-text.ts';
import { readTime, writeTime } from './signed-time.ts';
import type { TimeUnit } from './time-units.ts';

/**
 * The settings of a scheme that signs a text made by a template with an HMAC. A place is a header, or `<header>#<key>`
 * for a `key=value` part of one.
 */
export interface TemplateSettings extends HmacForm {
  /**
   * The signed text, with the fields `{id}`, `{timestamp}`, `{body}`, `{body:json}` (the body as a JSON string),
   * `{method}`, `{path}`, `{header:<place>}` and `{headers:<header that lists the signed headers>}`.
   */
  readonly template: string;
  /** The place of the signature. */
  readonly signature: string;
  /** The text before the signature, such as `sha256=`. */
  readonly prefix?: string | undefined;
  /** The place of the signed time, and its form. */
  readonly timestamp?: string | undefined;
  readonly timeUnit?: TimeUnit | undefined;
  /** The place of the signed id of the message. */
  readonly id?: string | undefined;
  /** The keys of the parts in the sender's order, with the separator between them, such as `t,v1`. */
  readonly parts?: string | undefined;
}

/** A known sender: its template, and what it does in its own way. */
export interface KnownSender extends TemplateSettings {
  /** What identifies a message. By default, the settings decide. */
  readonly identifiedBy?: MessageIdentity | undefined;
  /** The text with which the sender's secrets begin. */
  readonly secretPrefix?: string | undefined;
  /** Whether the sender writes exactly the keys of `parts`. Otherwise, others are ignored, and a signature may repeat. */
  readonly onlyParts?: boolean | undefined;
}

/** Webhook messages are always sent with this method. */
const METHOD = 'POST';

/** Creates a scheme that signs a text made by a template. */
export function templateScheme(settings: KnownSender): SignatureScheme {
  const { prefix = '', timeUnit = 'seconds', identifiedBy, secretPrefix = '', onlyParts = false } = settings;
  const pieces = piecesOf(settings.template);
  const layout = layoutOf(settings.parts ?? '');
  const signature = placeOf(settings.signature);
  const timestamp = settings.timestamp === undefined ? undefined : placeOf(settings.timestamp);
  const id = settings.id === undefined ? undefined : placeOf(settings.id);
  const named = [signature, timestamp, id, ...pieces.map((piece) => piece.kind === 'header' && piece.place)];
  const places = named.filter((place) => typeof place === 'object');
  const lists = pieces.flatMap((piece) => (piece.kind === 'headers' ? [piece.list] : []));
  const names = [...new Set([...places.map(({ header }) => header), ...lists])];
  const divided = new Set(places.flatMap(({ header, part }) => (part === undefined ? [] : [header])));
  const has = (kind: Field['kind']) => pieces.some((piece) => piece.kind === kind);
  /** The headers that a sender must list, because the template covers them in no other way. */
  const listed = [
    ...lists,
    ...(timestamp && !has('timestamp') ? [timestamp.header] : []),
    ...(id && !has('id') ? [id.header] : []),
  ];

  /** Whether a header has each key of the layout once, and no other. */
  function isExact(parts: ReadonlyMap<string, readonly string[]> | undefined): boolean {
    return parts?.size === layout.keys.length && layout.keys.every((key) => parts.get(key)?.length === 1);
  }

  function readClaim(message: ReceivedMessage): SignatureClaim | 'missing' | 'malformed' {
    const values = singleValues(names, message);
    if (typeof values === 'string') return values;
    const parts = new Map([...divided].map((name) => [name, partsOf(layout, values.get(name) ?? '')]));
    if (onlyParts && ![...parts.values()].every(isExact)) return 'malformed';
    const all = ({ header, part }: Place) =>
      part === undefined ? [values.get(header) ?? ''] : (parts.get(header)?.get(part) ?? []);
    const only = (place: Place) => (all(place).length === 1 ? all(place)[0] : undefined);
    const time = timestamp && only(timestamp);
    const signedAtMs = time === undefined ? undefined : readTime(timeUnit, time);
    const messageId = id && only(id);
    if ((timestamp && signedAtMs === undefined) || (id && !ID.test(messageId ?? ''))) return 'malformed';
    const texts = all(signature).filter((text) => text.startsWith(prefix));
    const signatures = texts.map((text) => ({ version: 'v1', text: text.slice(prefix.length) }) as const);
    const signed = signedText(pieces, {
      fields: { id: messageId, timestamp: time, method: METHOD, path: message.path },
      body: message.body,
      header: only,
      listed: (list) =>
        joinListed(values.get(list) ?? '', listed, (name) => {
          const [value, ...more] = message.headerValues(name);
          return more.length === 0 ? value : undefined;
        }),
    });
    const isRight = signed !== undefined && signatures.some(({ text }) => hasForm(settings, text));
    return isRight ? { signed, signedAtMs, messageId, signatures } : 'malformed';
  }

  function sign(secret: string, { id: messageId, atMs, path, headers, body }: UnsignedRequest) {
    const time = writeTime(timeUnit, atMs);
    const found = (place: Place | undefined, text: string) => (place ? [[place, text] as const] : []);
    const sampleOf = ({ header, part }: Place) =>
      part === undefined ? (headers[header] ?? '') : (partsOf(layout, headers[header] ?? '')?.get(part)?.[0] ?? part);
    const others = pieces.flatMap((piece) =>
      piece.kind === 'header' ? found(piece.place, sampleOf(piece.place)) : [],
    );
    const given = [...found(timestamp, time), ...found(id, messageId), ...others];
    const sent = new Map([...Object.entries(headers), ...given.map(([{ header }, text]) => [header, text] as const)]);
    const listOf = (list: string) => [...new Set([...Object.keys(headers), ...listed, list])].sort().join(',');
    for (const list of lists) sent.set(list, listOf(list));
    const signed = signedText(pieces, {
      fields: { id: messageId, timestamp: time, method: METHOD, path },
      body: typeof body === 'string' ? Buffer.from(body) : body,
      header: sampleOf,
      listed: (list) => joinListed(sent.get(list) ?? '', listed, (name) => sent.get(name)),
    });
    if (!signed) throw new RangeError('The message has a field that this scheme cannot sign');
    const all = [...given, [signature, prefix + hmacOf(settings, secret, signed)] as const];
    const written = Map.groupBy(all, ([{ header }]) => header);
    return {
      ...Object.fromEntries(lists.map((list) => [list, sent.get(list) ?? ''])),
      ...Object.fromEntries([...written].map(([name, values]) => [name, writeHeader(values)])),
    };
  }

  /** Writes a header: its parts in the sender's order, or the only value. */
  function writeHeader(values: readonly (readonly [Place, string])[]): string {
    if (values[0]?.[0].part === undefined) return values[0]?.[1] ?? '';
    const texts = new Map(values.map(([{ part }, text]) => [part, text]));
    return layout.keys.map((key) => `${key}=${texts.get(key) ?? ''}`).join(layout.separator);
  }

  const isOwnSecret = (secret: string) => secret.startsWith(secretPrefix) && isSecret(secret);
  return {
    privateHeaders: [signature.header],
    refusal: signatureRefusal({ signsTime: timestamp !== undefined }),
    identifiedBy: identifiedBy ?? (id ? 'id' : timestamp ? 'body-and-time' : 'body'),
    readClaim,
    verifierOf: (secret) => (isOwnSecret(secret) ? hmacVerifier(settings, Buffer.from(secret)) : undefined),
    sign,
    secretForm: secretPrefix === '' ? SECRET_FORM : `${secretPrefix} and more, ${SECRET_FORM} in all`,
    newSecret: () => secretPrefix + newTextSecret().slice(secretPrefix.length),
  };
}

/** The form of a message id. */
const ID = /^[\x21-\x7e]{1,255}$/;

interface Values {
  readonly fields: Readonly<Record<'id' | 'timestamp' | 'method' | 'path', string | undefined>>;
  readonly body: Uint8Array;
  readonly header: (place: Place) => string | undefined;
  readonly listed: (list: string) => string | undefined;
}

/**
 * Fills a template in.
 * @returns `undefined` if a field is missing, or has a character that would make the text ambiguous. A time has no
 * such character: of two texts that differ in its length, at most one is within minutes of the present.
 */
function signedText(pieces: readonly Piece[], values: Values): SignatureClaim['signed'] | undefined {
  const texts: (string | Uint8Array)[] = [];
  for (const piece of pieces) {
    const text = piece.kind === 'text' ? piece.text : textOf(piece, values);
    if (text === undefined) return undefined;
    const isAmbiguous = piece.kind !== 'text' && typeof text === 'string' && piece.kind !== 'json-body';
    if (isAmbiguous && piece.excludes !== undefined && text.includes(piece.excludes)) return undefined;
    texts.push(text);
  }
  return texts;
}

function textOf(field: Field, { fields, body, header, listed }: Values): string | Uint8Array | undefined {
  if (field.kind === 'body') return body;
  // Text that is not UTF-8 would be decoded to the same characters as other bytes.
  if (field.kind === 'json-body') return isUtf8(body) ? JSON.stringify(Buffer.from(body).toString()) : undefined;
  if (field.kind === 'header') return header(field.place);
  return field.kind === 'headers' ? listed(field.list) : fields[field.kind];
}
