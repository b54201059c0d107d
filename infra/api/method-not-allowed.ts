import { ContentHandling, type MethodOptions, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';
import { methodNotAllowed } from '../../lib/contract/problem.ts';
import { gatewayAnswer } from './gateway-answers.ts';

/** Answers 405 without a function: what `ANY` on a resource is set to, beside the methods it takes. */
export function refuseMethod(
  allow: readonly string[],
  baseUrl: string,
): { integration: MockIntegration; options: MethodOptions } {
  const answer = gatewayAnswer('method-not-allowed', methodNotAllowed(allow), baseUrl);
  const { statusCode, templates } = answer;
  const headers = Object.entries(answer.headers).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  // `$default` is for every other type of body: without it a wrong method with a form in it would be 415, not 405
  const mock = JSON.stringify({ statusCode: Number(statusCode) });
  return {
    integration: new MockIntegration({
      requestTemplates: { 'application/json': mock, $default: mock },
      passthroughBehavior: PassthroughBehavior.NEVER,
      // every body counts as binary here, and a template reads text alone
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      integrationResponses: [
        {
          statusCode,
          contentHandling: ContentHandling.CONVERT_TO_TEXT,
          responseParameters: Object.fromEntries(headers),
          responseTemplates: templates,
        },
      ],
    }),
    options: {
      methodResponses: [{ statusCode, responseParameters: Object.fromEntries(headers.map(([name]) => [name, true])) }],
    },
  };
}
