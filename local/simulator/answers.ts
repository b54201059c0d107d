import type { Reply } from './exchange.ts';
import type { FaultName } from './faults.ts';
import type { Random } from './random.ts';

const PAGE = '<!doctype html><html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>';
const ASP_NET = JSON.stringify({ title: 'An error occurred.', errors: { '': ['The request could not be handled.'] } });

/** Made-up answers: none of them is in the form of the contract, as of whatever stands between a client and a service. */
const REPLIES: Readonly<Partial<Record<FaultName, (random: Random) => Reply>>> = {
  unauthorized: () => text(401, '', { 'www-authenticate': 'Bearer error="invalid_token"' }),
  'request-timeout-before-commit': () => text(408, 'Request Timeout'),
  'request-timeout-after-commit': () => text(408, 'Request Timeout'),
  'rate-limited': (random) => text(429, 'Too Many Requests', { 'retry-after': `${1 + random.below(3)}` }),
  'rate-limited-without-time': () => text(429, ''),
  'error-before-commit': () => text(500, ASP_NET, { 'content-type': 'application/json; charset=utf-8' }),
  'error-after-commit': () => text(500, ''),
  'bad-gateway-before-commit': () => page(502),
  'bad-gateway-after-commit': () => page(502),
  'gateway-timeout-after-commit': () => page(504),
  unavailable: () => text(503, 'Service Unavailable', { 'retry-after': '1' }),
};

/** What a fault answers in place of the service; `undefined` where it does not answer. */
export function madeUp(name: FaultName, random: Random): Reply | undefined {
  return REPLIES[name]?.(random);
}

/** What is said to a deletion that will be carried out. */
export const ACCEPTED: Reply = text(202, '');
/** The answer to a deletion that was accepted before and is not carried out yet. */
export const UNDER_WAY: Reply = text(409, 'The project is being deleted.');
/** What is said to a deletion that is done. */
export const NO_CONTENT: Reply = { status: 204, headers: {}, body: new Uint8Array() };

function text(status: number, body: string, headers: Reply['headers'] = {}): Reply {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body: Buffer.from(body) };
}

function page(status: number): Reply {
  return text(status, PAGE, { 'content-type': 'text/html' });
}
