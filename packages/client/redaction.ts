import type { Failure } from '../../lib/service/http-client/failure.ts';

const REDACTED = '[redacted]';
/** How many sent credentials are remembered. Older tokens have expired, because a token lives for half an hour. */
const MAX_SENT = 16;

/** Removes credentials from failures, because a server may repeat received credentials in its answer. */
export interface Redaction {
  /** Remembers credentials that the client sends: a token, or the value of a Basic header after `Basic`. */
  remember(credentials: string): void;
  /** Returns a copy of a failure whose texts contain no credentials. */
  redact(failure: Failure): Failure;
}

/** Creates the redaction of a client. It always removes the API key. */
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
      errors: failure.errors?.map(({ pointer, code, detail, allowed, ...numbers }) => ({
        ...numbers,
        pointer: clean(pointer),
        code: clean(code),
        detail: clean(detail),
        allowed: allowed?.map((value) => (typeof value === 'string' ? clean(value) : value)),
      })),
    }),
  };
}

/** Returns the forms in which a secret may be repeated: as it is, encoded for a URL or JSON, and as unpadded base64. */
function formsOf(secret: string): string[] {
  const unpadded = secret.replace(/=+$/, '');
  const inUrlAlphabet = unpadded.replaceAll('+', '-').replaceAll('/', '_');
  const encoded = encodeURIComponent(secret.toWellFormed());
  return [secret, encoded, JSON.stringify(secret).slice(1, -1), unpadded, inUrlAlphabet];
}

/** Compares texts by length. Longer secrets are replaced first, because a shorter one may be a part of them. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}
