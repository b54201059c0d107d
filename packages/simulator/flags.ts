import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { nearest } from '../../lib/contract/nearest.ts';
import { WrongSetting } from '../../lib/contract/settings.ts';
import { type Flags, flagFault } from '../../local/flags.ts';
import { type LocalSettings, readSettings } from '../../local/start-settings.ts';
import { allAt, FAULT_NAMES, isFaultName, type Rates } from './faults.ts';

/** The settings of `npm run simulator`, checked. */
export interface SimulatorSettings {
  /** The settings of the service behind the fault injector. */
  readonly service: LocalSettings;
  readonly seed: number;
  readonly rates: Rates;
  readonly settleLagMs: number;
  /** Whether several projects may have the same custom id. */
  readonly areCustomIdsFree: boolean;
}

const FOLDER = '.segue/simulator';
const PORT = '8790';
const LAG = '2000';

const FLAGS = {
  start: 'npm run simulator',
  options: {
    port: { type: 'string', form: '<port>' },
    seed: { type: 'string', form: '<number>' },
    rate: { type: 'string', default: '0', form: '<rate>' },
    fault: { type: 'string', multiple: true, form: '<name>=<rate>' },
    'settle-lag': { type: 'string', default: LAG, form: '<milliseconds>' },
    'custom-ids': { type: 'string', default: 'unique', form: 'unique|free' },
  },
} as const satisfies Flags;

/**
 * Reads the simulator's flags, and the settings of the service from the same environment variables as `npm start`.
 * @throws {WrongSetting} if a flag or variable is invalid
 */
export function readSimulatorSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SimulatorSettings {
  const { port, seed, rate, fault = [], 'settle-lag': settleLag, 'custom-ids': customIds } = readFlags(args, env);
  if (customIds !== 'unique' && customIds !== 'free') throw new WrongSetting('--custom-ids must be unique or free');
  return {
    service: readSettings([], {
      ...env,
      PORT: port || env['PORT'] || PORT,
      SEGUE_DATA_DIR: env['SEGUE_DATA_DIR'] || FOLDER,
    }),
    seed: seed === undefined ? randomInt(2 ** 31) : wholeNumber(seed, '--seed'),
    rates: { ...allAt(rateIn(rate, '--rate')), ...Object.fromEntries(fault.map(namedRate)) },
    settleLagMs: wholeNumber(settleLag, '--settle-lag'),
    areCustomIdsFree: customIds === 'free',
  };
}

function readFlags(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const fault = flagFault(args, env, FLAGS);
  if (fault !== undefined) throw new WrongSetting(fault);
  return parseArgs({ args: [...args], options: FLAGS.options }).values;
}

function namedRate(text: string): [name: string, rate: number] {
  const [name = '', rate = ''] = text.split('=');
  if (!isFaultName(name)) {
    const [near] = nearest(name, FAULT_NAMES, 1);
    throw new WrongSetting(
      `--fault takes <name>=<rate>, but there is no fault with this name${near ? `: did you mean ${near}?` : `; the faults are ${FAULT_NAMES.join(', ')}`}`,
    );
  }
  return [name, rateIn(rate, `--fault ${name}`)];
}

function rateIn(text: string, flag: string): number {
  const rate = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (rate >= 0 && rate <= 1) return rate;
  throw new WrongSetting(`${flag} takes a rate from 0 (never) to 1 (always)`);
}

function wholeNumber(text: string, flag: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new WrongSetting(`${flag} takes a whole number of at most 9 digits`);
}
