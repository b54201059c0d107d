import { parseArgs } from 'node:util';
import { bulk } from './bulk.ts';
import { bundles } from './bundles.ts';
import { create } from './create.ts';
import { dearest } from './dearest.ts';
import { deletion } from './delete.ts';
import { deliveries } from './deliveries.ts';
import { guards } from './guards.ts';
import { inFront } from './in-front.ts';
import { projectCycle } from './project-cycle.ts';
import { read } from './read.ts';
import { results } from './results.ts';
import { smallCreates } from './small-creates.ts';
import { AGAINST, printComparison } from './support/against.ts';
import { hosted, type StartSegue, upstream } from './support/segue.ts';
import { meetsTarget, type Row, ratioTable } from './support/table.ts';
import { translation } from './translation.ts';

/** The benchmarks of requests, by their names for `--only`. */
const REQUESTS = { create, read, delete: deletion, small: smallCreates, cycle: projectCycle, deliveries } as const;
type Requests = keyof typeof REQUESTS;

/** Runs `npm run bench`, which docs/benchmarks.md describes. */
async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: {
        type: 'string',
        multiple: true,
        default: [...Object.keys(REQUESTS), 'results', 'translation', 'bulk', 'in-front', 'guards', 'bundles'],
      },
      upstream: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      profile: { type: 'string' },
      ...AGAINST,
    },
  });
  const { against, ...others } = values;
  if (against !== undefined) {
    const args = [...values.only.flatMap((name) => ['--only', name]), ...(values.upstream ? ['--upstream'] : [])];
    return printComparison('bench', args, { ...others, against });
  }
  const wanted = (Object.keys(REQUESTS) as Requests[]).filter((name) => values.only.includes(name));
  const rows = await measure(wanted, hosted(values.profile));
  if (values.only.includes('results')) rows.push(...(await results()));
  if (values.only.includes('translation')) rows.push(...(await translation()));
  if (values.only.includes('bulk')) rows.push(...(await bulk()));
  if (values.only.includes('in-front')) rows.push(...(await inFront()));
  if (rows.length > 0) console.log(ratioTable(rows));
  if (values.upstream) {
    const information = await measure(wanted, upstream(values.profile));
    console.log(`Segue in front of Segue, as information:\n\n${ratioTable(information.map(withoutTarget))}`);
  }
  const contended = values.only.includes('guards') ? await guards() : undefined;
  if (contended) console.log(contended.table);
  if (values.only.includes('dearest')) console.log(await dearest(values.profile));
  if (values.only.includes('bundles')) console.log(await bundles());
  const hasMet = rows.every(meetsTarget) && (contended?.meetsTarget ?? true);
  if (values.strict && !hasMet) process.exitCode = 1;
}

async function measure(names: readonly Requests[], startSegue: StartSegue): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of names) rows.push(...(await REQUESTS[name](startSegue)));
  return rows;
}

function withoutTarget({ target: _, ...row }: Row): Row {
  return row;
}

await run();
