import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { NEEDS, type Need } from '../test/contract/facts/fact.ts';
import { factReport } from '../test/contract/facts/report.ts';

/**
 * Runs the contract suite against any base URL: `npm run verify -- <url>`, with `SEGUE_COMPANY_ID` and `SEGUE_API_KEY` in the
 * environment. Use a company that has nothing else to do: the suite creates and deletes projects, and compares whole lists.
 * With `--report <file>` the results are written as JSON too. `--in-front` says that Segue stands in front of a service that
 * takes no more than it does itself: then a project of 4 MiB has no room for the custom id that it gets on the way.
 *
 * Then it asks for the facts of `docs/gateway-facts.md`, and ends with what became of each: `--load` lets it go over the
 * company's rate, `--firewall` says that there is one before the API.
 */
const { url, report, inFront, may } = readArguments(process.argv.slice(2));
const missing = ['SEGUE_COMPANY_ID', 'SEGUE_API_KEY'].filter((name) => !process.env[name]);
if (missing.length > 0) fail(`Set ${missing.join(' and ')} in the environment.`);

process.env['SEGUE_VERIFY_URL'] = url;
process.env['SEGUE_VERIFY_IN_FRONT'] = String(inFront);
process.env['SEGUE_VERIFY_MAY'] = may.join(' ');
const vitest = await startVitest('test', [], {
  run: true,
  watch: false,
  include: ['test/contract/remote.ts'],
  reporters: [
    'default',
    ...(report === undefined ? [] : [['json', { outputFile: report }] satisfies [string, object]]),
  ],
});
await vitest.close();

const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
console.log(factReport(new Map(tests.map((test) => [test.fullName, test.result()])), { url, may }));

interface Arguments {
  /** Without a slash at its end. */
  readonly url: string;
  readonly report: string | undefined;
  readonly inFront: boolean;
  readonly may: readonly Need[];
}

function readArguments(args: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        report: { type: 'string' },
        'in-front': { type: 'boolean', default: false },
        load: { type: 'boolean', default: false },
        firewall: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const [url = '', ...more] = positionals;
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? '') && more.length === 0) {
      const may = NEEDS.filter((need) => values[need]);
      return { url: url.replace(/\/+$/, ''), report: values.report, inFront: values['in-front'], may };
    }
  } catch {
    // Told below: the arguments are not as they should be.
  }
  return fail('usage: npm run verify -- <base url> [--in-front] [--load] [--firewall] [--report <file>]');
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
