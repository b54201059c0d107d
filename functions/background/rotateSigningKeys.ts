import { signingKeyRotation } from '../../lib/background/signing-key-rotation.ts';
import { signingSecret } from '../compose/aws-sdk.ts';

export const handler = signingKeyRotation({ ...signingSecret(), now: Date.now });
