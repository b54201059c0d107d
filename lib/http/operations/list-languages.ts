import { LANGUAGES } from '../../contract/languages.ts';
import { routeOf } from '../../contract/routes.ts';
import { type EncodedText, encodeText } from '../../service/encoded-text.ts';
import { noBody } from '../middleware/body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** `GET /integrations/languages` */
export function listLanguages(options: OperationOptions): HttpHandler {
  // The catalogue never changes while a process lives, so it is encoded once.
  let json: Promise<EncodedText> | undefined;
  return operation(
    routeOf('listLanguages'),
    noBody(),
    async () => {
      json ??= encodeText(JSON.stringify(LANGUAGES));
      return { status: 200, json: await json };
    },
    options,
  );
}
