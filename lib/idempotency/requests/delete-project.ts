import type { Receipt } from '../../contract/receipt.ts';
import { StoredReceipt } from '../../records/contract-records.ts';
import type { CallContext, DeletionScope, ProjectRef } from '../../service/port.ts';
import type { KeyedOperation } from '../keyed-operation.ts';

interface Deletion {
  readonly ref: ProjectRef;
  readonly scope: DeletionScope;
  readonly planned: CallContext['planned'];
}

/** A deletion under its key. Its receipt is recorded. */
export const deletion: KeyedOperation<Deletion, Receipt, Receipt> = {
  name: 'delete',
  identity: (request) => request,
  another: 'another deletion',
  recorded: StoredReceipt,
  replay: async (receipt) => receipt,
  shown: (receipt) => receipt,
};
