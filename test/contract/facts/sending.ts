import type { Target } from '../api.ts';
import type { Exchange, Made } from './fact.ts';
import { overTheWire, type WireAnswer } from './wire.ts';

/** The URL and the credentials to which a fact's requests are sent. */
export type Asked = Pick<Target, 'url' | 'authorization'>;

/** The values of `$ID`, `$X` and `$AUTH` in a fact's paths and headers, by name. */
export type Meanings = Readonly<Record<string, string>>;

/** Sends the request of an exchange on a new connection. */
export function send(exchange: Omit<Exchange, 'sees'>, asked: Asked, meanings: Meanings = {}): Promise<WireAnswer> {
  const base = new URL(asked.url);
  const body = exchange.body === undefined ? undefined : bytesOf(exchange.body);
  const start = `${exchange.method ?? 'GET'} ${base.pathname.replace(/\/$/, '')}${exchange.path} HTTP/1.1`;
  const lines = headersOf(exchange, base.host, body).map(([name, value]) => `${name}: ${value}`);
  const head = replaced([start, ...lines].join('\r\n'), { ...meanings, $AUTH: asked.authorization });
  return overTheWire(base, head, body ?? Buffer.alloc(0));
}

/** Returns the default headers, replaced or extended by those of the exchange. */
function headersOf({ headers = [], anonymous }: Omit<Exchange, 'sees'>, host: string, body: Buffer | undefined) {
  const said = new Set(headers.map(([name]) => name.toLowerCase()));
  const usual = [
    ['Host', host],
    // Some firewalls refuse a request without a user agent.
    ['User-Agent', 'segue-verify'],
    ...(anonymous ? [] : [['Authorization', '$AUTH']]),
    // With a body, the connection stays open: closing it before the body is sent could lose the answer.
    body ? ['Content-Length', String(body.length)] : ['Connection', 'close'],
  ].filter(([name = '']) => !said.has(name.toLowerCase()));
  const own = headers.map(([name, value]) => [name, bytesOf(value).toString('latin1')]);
  return [...usual, ...own.filter(([, value]) => value !== '')];
}

function replaced(text: string, meanings: Meanings): string {
  return text.replace(/\$[A-Z]+/g, (name) => meanings[name] ?? name);
}

function bytesOf(made: string | Made): Buffer {
  return typeof made === 'string' ? Buffer.from(made) : made.bytes();
}
