import { basicHeader } from '../credentials/basic.ts';
import type { UpstreamAccount } from '../upstream/credentials.ts';
import type { Failure } from './error.ts';

const REDACTED = '[redacted]';
/** A token lives for half an hour, so older tokens need no redaction. */
const MOST_TOKENS = 16;

/** Takes credentials out of failures, since a server may repeat what it was sent. */
export interface Redaction {
  /** Remembers a token that is sent. */
  remember(token: string): void;
  /** The failure, with no credentials in any of its texts. */
  redact(failure: Failure): Failure;
}

export function redactionOf(account: UpstreamAccount): Redaction {
  const ofAccount = [...formsOf(account.apiKey), ...base64Forms(basicHeader(account))];
  const tokens = new Set<string>();

  function clean(text: string): string {
    let cleaned = text;
    for (const secret of [...ofAccount, ...[...tokens].flatMap(formsOf)].toSorted(longestFirst)) {
      if (secret !== '') cleaned = cleaned.replaceAll(secret, REDACTED);
    }
    return cleaned;
  }

  const cleanIf = (text: string | undefined) => text && clean(text);

  return {
    remember(token) {
      tokens.delete(token);
      tokens.add(token);
      for (const oldest of tokens) {
        if (tokens.size <= MOST_TOKENS) break;
        tokens.delete(oldest);
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

/** A secret by itself, in a URL and in JSON. */
function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}

/** The credentials of a Basic header without padding, in both alphabets. */
function base64Forms(header: string): string[] {
  const base64 = header.slice(header.indexOf(' ') + 1).replace(/=+$/, '');
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
}

/** A secret may be part of a longer one. */
function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}
