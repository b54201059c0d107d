import type { Failure } from './error.ts';

const REDACTED = '[redacted]';
/** A token lives for half an hour, so older tokens need no redaction. */
const MAX_SENT = 16;

/** Takes credentials out of failures, since a server may repeat what it was sent. */
export interface Redaction {
  /** Remembers credentials that are sent: a token, or those of a Basic header. */
  remember(credentials: string): void;
  /** The failure, with no credentials in any of its texts. */
  redact(failure: Failure): Failure;
}

export function redactionOf(apiKey: string): Redaction {
  const sent = new Set<string>();

  function clean(text: string): string {
    let cleaned = text;
    for (const secret of [apiKey, ...sent].flatMap(formsOf).toSorted(longestFirst)) {
      if (secret !== '') cleaned = cleaned.replaceAll(secret, REDACTED);
    }
    return cleaned;
  }

  const cleanIf = (text: string | undefined) => text && clean(text);

  return {
    remember(credentials) {
      sent.delete(credentials);
      sent.add(credentials);
      for (const oldest of sent) {
        if (sent.size <= MAX_SENT) break;
        sent.delete(oldest);
      }
    },
    redact: (failure) => ({
      ...failure,
      title: clean(failure.title),
      detail: clean(failure.detail),
      instance: cleanIf(failure.instance),
      deletedAtUtc: cleanIf(failure.deletedAtUtc),
      operationId: cleanIf(failure.operationId),
      errors: failure.errors?.map(({ pointer, code, detail, allowed }) => ({
        pointer: clean(pointer),
        code: clean(code),
        detail: clean(detail),
        allowed: allowed?.map((value) => (typeof value === 'string' ? clean(value) : value)),
      })),
    }),
  };
}

/** A secret by itself, in a URL and in JSON; and if it is base64, without padding and in the alphabet of URLs. */
function formsOf(secret: string): string[] {
  const unpadded = secret.replace(/=+$/, '');
  const inUrlAlphabet = unpadded.replaceAll('+', '-').replaceAll('/', '_');
  const encoded = encodeURIComponent(secret.toWellFormed());
  return [secret, encoded, JSON.stringify(secret).slice(1, -1), unpadded, inUrlAlphabet];
}

/** A secret may be part of a longer one. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}
