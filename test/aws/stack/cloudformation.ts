import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { addSegueStack } from '../../../infra/stack.ts';
import type { Context } from '../../../tools/contexts.ts';
import { withApp } from '../../infra/synthesise.ts';

const Environment = z.object({ AWS_ENDPOINT_URL: z.string(), AWS_REGION: z.string() });
const Assets = z.object({
  files: z.record(
    z.string(),
    z.object({ destinations: z.record(z.string(), z.object({ bucketName: z.string(), objectKey: z.string() })) }),
  ),
});

const Configuration = z.object({
  Environment: z.optional(z.object({ Variables: z.record(z.string(), z.string()) })),
});

/** A synthesised stack: its template, and the locations of its functions' code. */
export interface Synthesised {
  readonly template: string;
  readonly assets: readonly { readonly bucket: string; readonly key: string }[];
}

/** Synthesises the stack for an account and a region. It makes no bundles, because no code runs here. */
export function synthesised(
  context: Context,
  { account, region }: { readonly account: string; readonly region: string },
): Promise<Synthesised> {
  return withApp((app) => {
    const { stackName } = addSegueStack(app);
    const { directory } = app.synth();
    const read = (kind: string) => readFileSync(join(directory, `${stackName}.${kind}.json`), 'utf8');
    const { files } = Assets.parse(JSON.parse(read('assets')));
    const values: Readonly<Record<string, string>> = { AccountId: account, Region: region };
    const resolved = (text: string) => text.replaceAll(/\$\{AWS::(\w+)\}/g, (_, name) => values[name] ?? '');
    const destinations = Object.values(files).flatMap((file) => Object.values(file.destinations));
    return {
      template: read('template'),
      assets: destinations.map(({ bucketName, objectKey }) => ({ bucket: resolved(bucketName), key: objectKey })),
    };
  }, context);
}

/**
 * Calls CloudFormation.
 * @returns the XML of the answer
 * @throws an error with the answer if the call fails
 */
export function cloudFormation(action: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const body = new URLSearchParams({ Action: action, Version: '2010-05-15', ...parameters });
  return ask('cloudformation', {}, body);
}

/** Writes the parameter of `cdk bootstrap` that templates check. */
export async function bootstrap(): Promise<void> {
  const parameter = { Name: '/cdk-bootstrap/hnb659fds/version', Value: '99', Type: 'String', Overwrite: true };
  const headers = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'AmazonSSM.PutParameter' };
  await ask('ssm', headers, JSON.stringify(parameter));
}

/**
 * Sends a request.
 * @param body if undefined, the request is a GET
 */
async function ask(
  service: string,
  headers: Readonly<Record<string, string>>,
  body: string | URLSearchParams | undefined,
  path = '/',
): Promise<string> {
  const { AWS_ENDPOINT_URL, AWS_REGION } = Environment.parse(process.env);
  // The emulator reads service and region from the signature, and does not check it.
  const Authorization = `AWS4-HMAC-SHA256 Credential=emulated/20261120/${AWS_REGION}/${service}/aws4_request`;
  const request = { headers: { ...headers, Authorization }, ...(body && { method: 'POST', body }) };
  const answer = await fetch(new URL(path, AWS_ENDPOINT_URL), request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${service}: ${text}`);
  return text;
}

/**
 * Returns the environment variables of a function.
 * @param name name or ARN
 */
export async function variablesOf(name: string): Promise<Readonly<Record<string, string>>> {
  const configuration = await ask('lambda', {}, undefined, `/2015-03-31/functions/${name}/configuration`);
  return Configuration.parse(JSON.parse(configuration)).Environment?.Variables ?? {};
}

/** Returns the texts of all elements with a name. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);
}
