import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { NEEDS, type Need } from '../test/contract/facts/fact.ts';
import { factReport } from '../test/contract/facts/report.ts';

/**
 * Runs the contract suite against a deployment: `npm run verify -- <base url>`. The variables `SEGUE_COMPANY_ID` and
 * `SEGUE_API_KEY` name the company. It should have no other traffic, because the suite creates and deletes projects, and
 * compares whole lists. With `--report <file>`, the results are also written as JSON. Set `--in-front` if Segue stands in
 * front of a service with the same limits: a project of 4 MiB then has no room for the prefix that Segue adds to its
 * custom id.
 *
 * Then it checks the facts in `docs/gateway-facts.md`, and prints the result of each fact. `--load` allows requests above
 * the company's rate, and then creates 1,000 projects and deletes them at 100 a second. `--firewall` says that a firewall stands in front of the API.
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
  config: false,
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
  /** The base URL, without a trailing slash. */
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
    // The usage error below also covers invalid arguments.
  }
  return fail('usage: npm run verify -- <base url> [--in-front] [--load] [--firewall] [--report <file>]');
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
