import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** A message to sign. */
interface Signable {
  /** The id of the event, which is also the id of the message. */
  readonly id: string;
  /** When the message is sent, in milliseconds since 1970. */
  readonly atMs: number;
  readonly body: string;
}

/**
 * Signs a message as https://www.standardwebhooks.com says, once with each live secret of a company. So a receiver can
 * verify it with any of them during a rotation.
 * @param secrets each `whsec_` and the bytes in base64
 */
export function signatureHeaders(secrets: readonly string[], { id, atMs, body }: Signable): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
