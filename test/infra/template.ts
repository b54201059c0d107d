import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod/mini';

const Reference = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }),
]);
/** A text of the template: resources by their names without hashes, and parameters of AWS in angle brackets. */
const Text = z.pipe(z.unknown(), z.transform(textOf));

const Actions = z.union([z.string(), z.array(z.string())]);
const Statement = z.union([
  z.strictObject({ Effect: z.literal('Allow'), Action: Actions, Resource: z.unknown() }),
  // A KMS key belongs to another stack, and is used through one service only.
  z.strictObject({
    Effect: z.literal('Allow'),
    Action: Actions,
    Resource: z.string().check(z.startsWith('arn:aws:kms:')),
    Condition: z.strictObject({ StringEquals: z.strictObject({ 'kms:ViaService': z.unknown() }) }),
  }),
  // Of the credentials table, a function needs only some kinds of items.
  z.strictObject({
    Effect: z.literal('Allow'),
    Action: Actions,
    Resource: z.unknown(),
    Condition: z.strictObject({
      'ForAllValues:StringLike': z.strictObject({
        'dynamodb:LeadingKeys': z.pipe(
          z.union([z.string(), z.array(z.string())]),
          z.transform((keys) => [keys].flat()),
        ),
      }),
      // Without it, a request that names no partition would be allowed too.
      Null: z.strictObject({ 'dynamodb:LeadingKeys': z.literal('false') }),
    }),
  }),
  // E-mails have one sender.
  z.strictObject({
    Effect: z.literal('Allow'),
    Action: z.literal('ses:SendEmail'),
    Resource: z.unknown(),
    Condition: z.strictObject({ StringEquals: z.strictObject({ 'ses:FromAddress': z.string() }) }),
  }),
]);

/** A role with inline policies only. */
const Role = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Policies: z.optional(
    z.array(
      z.strictObject({
        PolicyName: z.string(),
        PolicyDocument: z.strictObject({ Version: z.string(), Statement: z.array(Statement) }),
      }),
    ),
  ),
});

const Lambda = z.object({ Environment: z.optional(z.object({ Variables: z.record(z.string(), Text) })) });
const Integration = z.looseObject({
  type: z.string(),
  uri: z.optional(Text),
  responses: z.optional(z.object({ default: z.looseObject({ responseTemplates: z.record(z.string(), z.string()) }) })),
});
const Method = z.looseObject({
  operationId: z.optional(z.string()),
  security: z.optional(z.array(z.record(z.string(), z.array(z.never())))),
  'x-amazon-apigateway-integration': Integration,
});

const GatewayResponse = z.strictObject({
  statusCode: z.string(),
  responseParameters: z.record(z.string(), z.string()),
  responseTemplates: z.strictObject({ 'application/json': z.string() }),
});

const Body = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  'x-amazon-apigateway-gateway-responses': z.record(z.string(), GatewayResponse),
});

/** Returns the id of a function's construct. */
export function constructOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns the properties of every resource of a type, by the resource's name without its hash. */
export function propertiesOf(template: Template, type: string): Map<string, unknown> {
  const resources = Object.entries(template.findResources(type));
  return new Map(resources.map(([id, resource]) => [withoutHash(id), resource['Properties']]));
}

/** Returns the environment variables of a function. */
export function variablesOf(template: Template, name: string): Readonly<Record<string, string>> {
  const properties = propertiesOf(template, 'AWS::Lambda::Function').get(`${constructOf(name)}Lambda`);
  return Lambda.parse(properties).Environment?.Variables ?? {};
}

/** Returns the permissions of a role, as sorted lines of `action on resource`. */
export function allowedBy(role: unknown): string[] {
  const statements = Role.parse(role).Policies?.flatMap(({ PolicyDocument }) => PolicyDocument.Statement) ?? [];
  const lines = statements.flatMap((statement) => {
    const resources = [statement.Resource].flat().map(nameOf);
    const kinds = kindsIn(statement);
    const named = kinds ? resources.flatMap((name) => kinds.map((kind) => `${name} of ${kind}`)) : resources;
    return [statement.Action].flat().flatMap((action) => named.map((name) => `${action} on ${name}`));
  });
  return lines.sort();
}

/** Returns the patterns of the partitions to which a statement is limited. */
function kindsIn(statement: z.infer<typeof Statement>): readonly string[] | undefined {
  if (!('Condition' in statement && 'ForAllValues:StringLike' in statement.Condition)) return undefined;
  return statement.Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
}

/** Returns the name of a resource. For secrets and buckets of other stacks, it is the end of the ARN. */
function nameOf(resource: unknown): string {
  return textOf(resource).replace(
    /^arn:<AWS::Partition>:(?:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret|s3::):/,
    '',
  );
}

/** Returns the definition of the API. */
export function bodyOf(template: Template) {
  const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi').values();
  return z.object({ Body }).parse(api).Body;
}

/** Returns the API's methods by `METHOD /path`. */
export function methodsOf(template: Template): Map<string, z.infer<typeof Method>> {
  const methods = Object.entries(bodyOf(template).paths).flatMap(([path, { parameters: _, ...members }]) =>
    Object.entries(members).map(([name, value]) => {
      const method = name === 'x-amazon-apigateway-any-method' ? 'ANY' : name.toUpperCase();
      return [`${method} ${path}`, Method.parse(value)] as const;
    }),
  );
  return new Map(methods);
}

/** Returns the gateway responses by their type. */
export function gatewayResponsesOf(template: Template): Map<string, z.infer<typeof GatewayResponse>> {
  return new Map(Object.entries(bodyOf(template)['x-amazon-apigateway-gateway-responses']));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const reference = Reference.parse(value);
  if ('Ref' in reference) return reference.Ref.startsWith('AWS::') ? `<${reference.Ref}>` : withoutHash(reference.Ref);
  if ('Fn::Join' in reference) return reference['Fn::Join'][1].map(textOf).join('');
  const [id, attribute] = reference['Fn::GetAtt'];
  return attribute === 'Arn' ? withoutHash(id) : `${withoutHash(id)}.${attribute}`;
}

function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}

const Stage = z.object({
  MethodSettings: z.array(
    z.object({
      HttpMethod: z.string(),
      ResourcePath: z.string(),
      ThrottlingRateLimit: z.number(),
      ThrottlingBurstLimit: z.number(),
    }),
  ),
});

/** Returns the rate and the burst of each method with limits of its own, by `<method> <path>`. */
export function methodRatesOf(template: Template): Map<string, [rate: number, burst: number]> {
  const [stage] = propertiesOf(template, 'AWS::ApiGateway::Stage').values();
  return new Map(
    Stage.parse(stage).MethodSettings.map(({ HttpMethod, ResourcePath, ThrottlingRateLimit, ThrottlingBurstLimit }) => [
      `${HttpMethod} ${ResourcePath.replace(/^\/~1/, '/').replaceAll('~1', '/')}`,
      [ThrottlingRateLimit, ThrottlingBurstLimit],
    ]),
  );
}
