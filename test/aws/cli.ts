import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { run } from '../../packages/cli/program.ts';

/** Creates a stack with these outputs. */
export async function createStack(
  StackName: string,
  outputs: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const Outputs = Object.fromEntries(Object.entries(outputs).map(([name, Value]) => [name, { Value }]));
  const TemplateBody = JSON.stringify({ Resources: { Topic: { Type: 'AWS::SNS::Topic' } }, Outputs });
  await new CloudFormationClient().send(new CreateStackCommand({ StackName, TemplateBody }));
}

/** Runs a command against a stack. */
export async function segueOn(
  stack: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const code = await run([...args, '--stack', stack], {
    env: {},
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}
