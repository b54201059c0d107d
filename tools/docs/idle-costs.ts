import { DEFAULT_MEMORY_MB } from '../../infra/functions/capacity.ts';
import { functionsOf } from '../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../infra/functions/function-spec.ts';
import { type Amounts, dollars, number, PRICES, priceText, usd } from './prices.ts';
import { table } from './table.ts';

/** The parts of `docs/cost.md` about a stack that nobody uses. */

/** What a stack has all the time, by service and stage. A test compares the amounts with the template. */
export const FIXED = {
  hosted: {
    production: { secretMonth: 1, alarmMetricMonth: 23, logMetricMonth: 0, dashboardMonth: 1 },
    development: { secretMonth: 1 },
  },
  upstream: {
    production: { secretMonth: 2, alarmMetricMonth: 21, logMetricMonth: 0, dashboardMonth: 1 },
    development: { secretMonth: 2 },
  },
} as const satisfies Record<ServiceName, Record<string, Amounts>>;

/** What the values of the setting `firewall` add to the costs of an idle stack. A test compares them with the template. */
export const FIREWALL = {
  rate: { firewallMonth: 1, firewallRuleMonth: 1 },
  managed: { firewallMonth: 1, firewallRuleMonth: 5 },
} as const satisfies Record<string, Amounts>;

/** The capacity of a scheduled run that finds nothing to do. A test compares it with what the function sends. */
export const IDLE_RUNS: Readonly<Record<string, { readonly readUnits: number; readonly writeUnits: number }>> = {
  jobs: { readUnits: 17, writeUnits: 0 },
  sendEvents: { readUnits: 17, writeUnits: 0 },
  deliveries: { readUnits: 17, writeUnits: 0 },
  sweeper: { readUnits: 32, writeUnits: 2 },
  reconciler: { readUnits: 16, writeUnits: 2 },
};

export const DAYS = 30;
export const FUNCTION_GIGABYTES = DEFAULT_MEMORY_MB / 1_024;
/** The assumed run time of a background function that finds nothing to do, in milliseconds. */
const IDLE_MS = 30;
/**
 * The assumed bytes in logs: of a line of a function, of the three lines of Lambda for each run, and of a line of the
 * access log. A test compares the lines of Segue.
 */
export const LOGGED_BYTES = { line: 350, lambda: 400, access: 350 } as const;
/** The assumed requests with which Lambda polls an empty queue for a month: five at a time, for 20 seconds each. */
const IDLE_POLLS = (5 * DAYS * 86_400) / 20;
/** The assumed calls of KMS by DynamoDB for each function that uses a table: one in five minutes. */
const KEY_CALLS = (DAYS * 24 * 60) / 5;

/** Returns how often a schedule calls its function in a month. */
function runsOf(expression: string): number {
  const minutes = Number(/^rate\((\d+) minutes?\)$/.exec(expression)?.[1]);
  return Number.isNaN(minutes) ? DAYS : (DAYS * 24 * 60) / minutes;
}

/** Returns what the background work of an idle stack takes in a month. The audit of each day is left out. */
function backgroundOf(service: ServiceName): Amounts {
  const background = functionsOf(service).filter(({ stream, schedule }) => stream || schedule);
  let [runs, readUnit, writeUnit] = [0, 0, 0];
  for (const { name, schedule } of background) {
    const idle = IDLE_RUNS[name];
    if (!idle || !schedule) continue;
    const ofSchedule = runsOf(schedule.expression);
    // Each heartbeat calls publishEvents.
    runs += ofSchedule * (idle.writeUnits > 0 ? 2 : 1);
    readUnit += ofSchedule * idle.readUnits;
    writeUnit += ofSchedule * idle.writeUnits;
  }
  return {
    readUnit,
    writeUnit,
    functionRequest: runs,
    functionGigabyteSecond: (runs * IDLE_MS * FUNCTION_GIGABYTES) / 1e3,
    logGigabyte: (runs * (LOGGED_BYTES.line + LOGGED_BYTES.lambda)) / 1e9,
    // Each of these functions uses one table while nothing happens.
    keyRequest: background.filter(({ name }) => name in IDLE_RUNS || name === 'publishEvents').length * KEY_CALLS,
    queueRequest: service === 'hosted' ? IDLE_POLLS : 0,
  };
}

/** Returns what an idle stack costs in a month, in US dollars, without its firewall. */
export function idleUsd(service: ServiceName, stage: 'production' | 'development'): number {
  return usd(FIXED[service][stage]) + usd(backgroundOf(service));
}

const SERVICES = ['hosted', 'upstream'] as const;

/** Returns the parts of `docs/cost.md` about an idle stack. */
export function idleParts(): Record<string, string> {
  const hosted = backgroundOf('hosted');
  const { keyRequest = 0, queueRequest = 0 } = hosted;
  return {
    idle: table(
      ['service', 'stage', 'secrets', 'metrics of alarms', 'dashboards', 'background work, US$', 'US$ a month'],
      SERVICES.flatMap((service) =>
        (['production', 'development'] as const).map((stage) => {
          const amounts: Amounts = FIXED[service][stage];
          const { secretMonth = 0, alarmMetricMonth = 0, dashboardMonth = 0 } = amounts;
          return [
            `\`${service}\``,
            `\`${stage}\``,
            ...[secretMonth, alarmMetricMonth, dashboardMonth].map(number),
            dollars(usd(backgroundOf(service)), 2),
            dollars(idleUsd(service, stage), 2),
          ];
        }),
      ),
    ),
    background: table(
      ['background work of an idle `hosted` stack', 'a month', 'US$'],
      [
        backgroundRow('runs of functions, of 30 ms each', hosted.functionRequest, {
          functionRequest: hosted.functionRequest ?? 0,
          functionGigabyteSecond: hosted.functionGigabyteSecond ?? 0,
        }),
        backgroundRow('read units', hosted.readUnit, { readUnit: hosted.readUnit ?? 0 }),
        backgroundRow('write units', hosted.writeUnit, { writeUnit: hosted.writeUnit ?? 0 }),
        backgroundRow('requests with which Lambda polls the queue of jobs', queueRequest, { queueRequest }),
        backgroundRow('calls of KMS for the keys of the tables', keyRequest, { keyRequest }),
        backgroundRow('MB of logs', (hosted.logGigabyte ?? 0) * 1e3, { logGigabyte: hosted.logGigabyte ?? 0 }),
      ],
    ),
    firewall: table(
      ['`firewall`', 'rules', 'US$ a month', 'US$ of requests'],
      Object.entries(FIREWALL).map(([mode, amounts]) => [
        `\`${mode}\``,
        number(amounts.firewallRuleMonth),
        dollars(usd(amounts), 2),
        priceText(PRICES.firewallRequest[0]),
      ]),
    ),
    provisioned: `With [\`provisionedConcurrency\`](deploy-settings.md#keep-functions-started), each environment of a function that AWS keeps started costs US$ ${dollars(usd({ provisionedGigabyteSecond: DAYS * 86_400 * FUNCTION_GIGABYTES }), 2)} a month if it has ${number(DEFAULT_MEMORY_MB)} MB. With less memory, it costs less in proportion.`,
  };
}

function backgroundRow(what: string, count = 0, amounts: Amounts): string[] {
  return [what, number(Math.round(count)), dollars(usd(amounts), 2)];
}
