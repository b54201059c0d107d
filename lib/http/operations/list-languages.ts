import { LANGUAGES } from '../../contract/languages.ts';
import { type EncodedText, encodeText } from '../../service/encoded-text.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** Makes the handler of `GET /integrations/languages`. */
export function listLanguages(options: OperationOptions): HttpHandler {
  // The catalogue never changes while the process runs, so encode it only once.
  let json: Promise<EncodedText> | undefined;
  return operation('listLanguages', options, async () => {
    json ??= encodeText(JSON.stringify(LANGUAGES));
    return { status: 200, json: await json };
  });
}
