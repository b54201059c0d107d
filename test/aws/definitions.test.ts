import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CASES, type DefinitionCase, functionsOf } from '../../packages/cli/test/definitions/cases.ts';
import { emulatedAws } from '../../tools/emulators/environment.ts';
import { type MotoWithLambdas, motoWith } from './bulk/lambdas.ts';

/** The definitions of JSONPath that the emulator runs otherwise than AWS says, and what it does. */
const OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['missing-path.json', 'its States.ALL catches States.Runtime'],
  ['no-choice.json', 'its name of the failure is States.Runtime'],
  ['paths.json', 'its paths with an index give a list'],
  ['variables.json', 'a map of it fails that assigns a variable'],
]);
/** The definitions that the emulator can run: it does not evaluate JSONata. */
const EMULATED = CASES.filter(({ name, hasJsonata }) => !hasJsonata && !OTHERWISE.has(name));

let moto: MotoWithLambdas;
let sfn: SFNClient;
let answer: ReturnType<typeof functionsOf>;

beforeAll(async () => {
  const names = new Set(EMULATED.flatMap(({ functions }) => Object.keys(functions)));
  const functions = Array.from(names, (name) => [name, (input: unknown) => answer(name, input)] as const);
  moto = await motoWith(
    async () => Object.fromEntries(functions),
    (invoke) => invoke(),
  );
  for (const [name, value] of Object.entries(emulatedAws({}, moto.url))) vi.stubEnv(name, value);
  const config = JSON.stringify({ stepfunctions: { execute_state_machine: true } });
  await fetch(`${moto.url}/moto-api/config`, { method: 'POST', body: config });
  sfn = new SFNClient();
});
afterAll(async () => {
  sfn.destroy();
  await moto[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

/** Runs a definition in the emulator. */
async function run({ name, definition, input }: DefinitionCase): Promise<DescribeExecutionCommandOutput> {
  const machine = { name: name.replace('.json', ''), definition: JSON.stringify(definition) };
  const roleArn = 'arn:aws:iam::123456789012:role/any';
  const { stateMachineArn } = await sfn.send(new CreateStateMachineCommand({ ...machine, roleArn }));
  const start = new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) });
  const { executionArn } = await sfn.send(start);
  const ended = async () => {
    const described = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    return described.status === 'RUNNING' ? undefined : described;
  };
  return vi.waitUntil(ended, { timeout: 30_000, interval: 100 });
}

describe('the emulator gives the same results as this machine for', () => {
  it.each(EMULATED.map((each) => [each.name, each] as const))('%s', async (_, each) => {
    answer = functionsOf(each);
    const { output, error, cause } = await run(each);
    const { expected } = each;
    if ('output' in expected)
      expect([JSON.parse(output ?? 'null'), error, cause]).toEqual([expected.output, undefined, undefined]);
    else expect(error).toBe(expected.error);
  });
});
