import { signingSecret } from '#platform';
import { signingKeyRotation } from '../../lib/background/signing-key-rotation.ts';

export const handler = signingKeyRotation({ ...signingSecret(), now: Date.now });
