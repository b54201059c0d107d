import type { PlantedBug } from './bug.ts';

const LINE_OF = 'test/lib/workflow/bulk/line.test.ts';
const VISIBLE = 'test/cli/visible.test.ts';
const ENTRIES = 'test/lib/workflow/bulk/entries.test.ts';
const LINE = 'test/lib/workflow/bulk-line.test.ts';
const PREPARE = 'test/lib/workflow/prepare-bulk.test.ts';
const RUN = 'test/cli/bulk/run.test.ts';
const BULK = 'test/cli/bulk/bulk.test.ts';

/** Bugs of bulk runs. */
export const BULK_BUGS: readonly PlantedBug[] = [
  {
    name: 'a line is the same one in a run of another name',
    file: 'lib/workflow/bulk/identity.ts',
    find: 'JSON.stringify([run, digest, occurrence])',
    replace: 'JSON.stringify([run.length > 0, digest, occurrence])',
    tests: [LINE],
  },
  {
    name: 'lines are told apart by their number alone',
    file: 'lib/workflow/bulk/identity.ts',
    find: 'JSON.stringify([run, digest, occurrence])',
    replace: 'JSON.stringify([run, digest.length, occurrence])',
    tests: [LINE],
  },
  {
    name: 'equal lines are one line',
    file: 'lib/workflow/bulk/identity.ts',
    find: 'const occurrence = (this.#counts.get(key) ?? 0) + 1;',
    replace: 'const occurrence = 1;',
    tests: [BULK],
  },
  {
    name: 'a line whose start date was renewed is another line',
    file: 'lib/workflow/bulk/identity.ts',
    find: 'withoutNulls(withoutStart(command))',
    replace: 'withoutNulls(command)',
    tests: [LINE_OF],
  },
  {
    name: 'the results of lines are kept for a week',
    file: 'lib/workflow/bulk-line.ts',
    find: '    retentionMs: LINE_RETENTION_MS,\n',
    replace: '',
    tests: [LINE],
  },
  {
    name: 'a run that only checks creates',
    file: 'lib/workflow/bulk-line.ts',
    find: 'if (validateOnly) return',
    replace: 'if (validateOnly && !line) return',
    tests: [LINE, BULK],
  },
  {
    name: 'escape sequences from outside reach the terminal',
    file: 'cli/run.ts',
    find: 'surroundings.err(visibleLines(text))',
    replace: 'surroundings.err(text)',
    tests: [VISIBLE],
  },
  {
    name: 'blank lines are not counted',
    file: 'lib/workflow/bulk/json-lines.ts',
    find: '        line++;\n',
    replace: '        if (!isBlank) line++;\n',
    tests: [ENTRIES],
  },
  {
    name: 'a last line without a line end is dropped',
    file: 'lib/workflow/bulk/json-lines.ts',
    find: 'if (!isBlank && offset !== undefined) {',
    replace: 'if (isBlank && offset !== undefined) {',
    tests: [ENTRIES],
  },
  {
    name: 'results are written over the manifest',
    file: 'cli/bulk/output-file.ts',
    find: 'one.ino === two.ino',
    replace: 'one.ino !== two.ino',
    tests: [BULK],
  },
  {
    name: 'a bulk run works in the store of the other service',
    file: 'cli/place.ts',
    find: 'if (owner === service) return;',
    replace: 'if (owner) return;',
    tests: [BULK],
  },
  {
    name: 'a fault of a line is dropped',
    file: 'lib/workflow/failure.ts',
    find: 'const shown = [...errors];',
    replace: 'const shown = errors.slice(0, 1);',
    tests: [LINE],
  },
  {
    name: 'what was done before counts as created',
    file: 'cli/bulk/tally.ts',
    find: 'else if (result.replayed) this.#doneBefore++;',
    replace: "else if (result.outcome === 'deleted-since') this.#doneBefore++;",
    tests: [BULK],
  },
  {
    name: 'attempts count as failed lines',
    file: 'cli/bulk/run.ts',
    find: '      if (stop.aborted) return undefined;\n',
    replace:
      "      if (stop.aborted) return undefined;\n      if (attempt === 1) return { entry: entry.entry, line: entry.line, outcome: 'failed', failure: error.name, cause: error.message };\n",
    tests: [RUN],
  },
  {
    name: 'one failed line too many is tolerated',
    file: 'cli/bulk/run.ts',
    find: 'while (!stop.aborted && failed <= mostFailed)',
    replace: 'while (!stop.aborted && failed <= mostFailed + 1)',
    tests: [RUN],
  },
  {
    name: 'a manifest may be changed between its index and its lines',
    file: 'lib/workflow/bulk/s3.ts',
    find: 'IfMatch: etag, ',
    replace: '',
    tests: [PREPARE],
  },
  {
    name: 'a company may open the manifests of another',
    file: 'lib/workflow/bulk/s3.ts',
    find: 'if (!key.startsWith(manifestKey(companyId, ',
    replace: "if (!key.startsWith('manifests/') && !key.startsWith(manifestKey(companyId, ",
    tests: [PREPARE],
  },
];
