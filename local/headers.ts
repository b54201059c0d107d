import type { IncomingMessage } from 'node:http';

/** Request headers as an event has them: names as received, and what the gateway itself needs of them. */
export interface ReceivedHeaders {
  readonly last: Record<string, string>;
  readonly all: Record<string, string[]>;
  /** Every value of `Authorization`, whatever its case. */
  readonly authorization: readonly string[];
  readonly userAgent: string | null;
  readonly host: string | undefined;
}

/** Reads a request's headers and adds `X-Forwarded-For`, `-Port` and `-Proto`. */
export function readHeaders({ rawHeaders, socket }: IncomingMessage): ReceivedHeaders {
  const all = new Map<string, string[]>();
  const authorization: string[] = [];
  const forwardedFor: string[] = [];
  let userAgent: string | null = null;
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    switch (name.toLowerCase()) {
      case 'x-forwarded-for':
        forwardedFor.push(value);
        continue;
      case 'x-forwarded-port':
      case 'x-forwarded-proto':
        continue;
      case 'authorization':
        authorization.push(value);
        break;
      case 'user-agent':
        userAgent = value;
        break;
      case 'host':
        host = host === undefined ? value : `${host}, ${value}`; // Two are none: nobody could say which one is meant.
        break;
    }
    const values = all.get(name);
    if (values) values.push(value);
    else all.set(name, [value]);
  }
  all.set('X-Forwarded-For', [[...forwardedFor, socket.remoteAddress ?? ''].join(', ')]);
  all.set('X-Forwarded-Port', [String(socket.localPort)]);
  all.set('X-Forwarded-Proto', ['http']);
  const last = new Map<string, string>();
  for (const [name, values] of all) last.set(name, values.at(-1) ?? '');
  // fromEntries makes own properties even of names such as __proto__.
  return { last: Object.fromEntries(last), all: Object.fromEntries(all), authorization, userAgent, host };
}

/** A host with or without a port that can stand in a URL. */
export function isHost(host: string): boolean {
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);
}
