import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';

/** The report of vitest's JSON reporter for one run. */
const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numFailedTestSuites: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      /** Why the file could not be loaded. Empty if its tests ran. */
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.nullish(z.array(z.string())) }),
      ),
    }),
  ),
});

const MESSAGE_LINES = 5;

/**
 * Prints the failed tests of several runs, each with its file and the first lines of its message. Then prints how many
 * tests passed and failed: `ci-sum.ts [--repeated <report>] <status of the steps> <report>...`. A failed step without a
 * failed test counts as one failure, and so does a missing report. The passed tests of the repeated run do not count.
 */

const { values, positionals } = parseArgs({ options: { repeated: { type: 'string' } }, allowPositionals: true });
const [status, ...paths] = positionals;
let passed = 0;
let failed = 0;
const repeated = values.repeated === undefined ? undefined : readReport(values.repeated);
if (repeated) printFailures(repeated);
for (const path of paths) {
  const report = readReport(path);
  if (report) printFailures(report);
  else console.log(`no report: ${path}`);
  passed += report?.numPassedTests ?? 0;
  failed += report ? report.numFailedTests || Number(report.numFailedTestSuites > 0) : 1;
}
if (status !== '0') failed = Math.max(failed, 1);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function printFailures({ testResults }: z.infer<typeof Report>): void {
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    for (const test of tests) printFailure(`${file}: ${test.fullName}`, test.failureMessages?.join('\n') ?? '');
    if (status === 'failed' && tests.length === 0) printFailure(file, message);
  }
}

function printFailure(title: string, message: string): void {
  const lines = message.split('\n').filter((line) => !line.includes('/node_modules/'));
  console.log([`failed: ${title}`, ...lines.slice(0, MESSAGE_LINES)].join('\n    '));
}

function readReport(path: string): z.infer<typeof Report> | undefined {
  try {
    return Report.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
