import { CliError } from './errors.ts';

/** The outputs of a stack, or of one Segue in it, by name. */
export type Outputs = ReadonlyMap<string, string>;

/** A Segue has these two outputs. */
const TABLE = 'TableName';
const PLAN = 'UsagePlanId';

/**
 * Selects the outputs of one Segue. Their names begin with the id of its construct; `SegueStack` uses no prefix.
 * @param gateway the construct's id; needed only if the stack has several
 * @throws {CliError} if the stack has no Segue, or several and no id is given
 */
export function gatewayOutputs(all: Outputs, gateway: string | undefined): Outputs {
  const ids = [...all.keys()].filter((name) => name.endsWith(TABLE)).map((name) => name.slice(0, -TABLE.length));
  const known = ids.filter((id) => all.has(id + PLAN));
  const names = known.map((id) => id || 'none').join(', ');
  if (known.length === 0) throw new CliError(`the stack has no output ${TABLE}: it is not a Segue, or an old one`);
  if (gateway === undefined && known.length > 1)
    throw new CliError(`the stack has several Segues: select one with --gateway: ${names}`);
  const id = known.find((each) => gateway === undefined || each === gateway);
  if (id === undefined) throw new CliError(`the stack has no Segue of this id; it has ${names}`);
  const own = [...all].filter(([name]) => name.startsWith(id));
  return new Map(own.map(([name, value]) => [name.slice(id.length), value]));
}
