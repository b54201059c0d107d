import { type LookupAddress, Resolver } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** How long one question to a name server may take, in milliseconds, and how often it is asked. */
const QUESTION = { timeout: 2_000, maxTimeout: 2_000, tries: 2 } as const;

/** The code of a name that has no address. */
const NO_ADDRESS = 'ENOTFOUND';

/**
 * Makes a function that resolves the name of a host. It asks the name servers of this machine itself. Node's `dns.lookup`
 * would take one of two threads until the name server answers: somebody whose name server never answers could keep
 * both, and then no name of anybody could be resolved.
 * @param servers the name servers to ask, as `address:port`; by default those of this machine
 */
export function nameResolver(servers?: readonly string[]): LookupFunction {
  return (hostname, _, callback) => {
    const found = (addresses: readonly LookupAddress[], code = NO_ADDRESS) =>
      addresses.length > 0 ? callback(null, [...addresses]) : callback(Object.assign(new Error(code), { code }), []);
    if (/(^|\.)localhost\.?$/i.test(hostname)) return found([{ address: '127.0.0.1', family: 4 }]);
    const resolver = new Resolver(QUESTION);
    if (servers) resolver.setServers(servers);
    void Promise.all([
      ask((done) => resolver.resolve4(hostname, done), 4),
      ask((done) => resolver.resolve6(hostname, done), 6),
    ]).then(([four, six]) => found([...four.addresses, ...six.addresses], codeOf(four) ?? codeOf(six)));
  };
}

/** The answer to a question for the addresses of a name. */
interface Answer {
  readonly addresses: readonly LookupAddress[];
  readonly code?: string | undefined;
}

type Done = (error: NodeJS.ErrnoException | null, addresses: string[]) => void;

function ask(question: (done: Done) => void, family: 4 | 6): Promise<Answer> {
  return new Promise((resolve) =>
    question((error, addresses) =>
      resolve(
        error ? { addresses: [], code: error.code } : { addresses: addresses.map((address) => ({ address, family })) },
      ),
    ),
  );
}

/** Returns the code of an answer that says nothing about the name, such as `ETIMEOUT`. */
function codeOf({ code }: Answer): string | undefined {
  return code === 'ENODATA' || code === NO_ADDRESS ? undefined : code;
}
